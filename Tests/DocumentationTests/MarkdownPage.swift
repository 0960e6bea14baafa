// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// The Swift code of one page, and how it is checked.
///
/// A comment directly before a block says how, if it is not ordinary code of a file that all blocks of the page form:
///
///     <!-- swift statements -->                  the block is the body of a function
///     <!-- swift statements (app: App) -->       of a function with these parameters
///     <!-- swift alone -->                       the block is a file of its own
///     <!-- swift unchecked: WHY -->              the block is not compiled
///     <!-- file PATH -->                         a file of the tutorial, which Scripts/try-tutorial builds
///
/// Two comments can stand anywhere on a page:
///
///     <!-- swift with README.md -->              the page goes on from the declarations of another page
///     <!-- swift given                           code that the reader is assumed to have
///     func parse(_ text: String) -> Int { 1 }
///     -->
struct MarkdownPage {
    struct Block {
        let code: String
        /// The line of the fence.
        let line: Int
        /// The text of the comment before it, without the brackets; empty if there is none.
        let mark: String

        var isFile: Bool { mark.hasPrefix("file ") }
        /// Why the block is not compiled; nil if it is.
        var reason: String? {
            mark.hasPrefix("swift unchecked: ") ? String(mark.dropFirst("swift unchecked: ".count)) : nil
        }
    }

    /// The path in the repository.
    let name: String
    let blocks: [Block]
    let given: [String]
    /// The page from whose declarations this one goes on.
    let base: String?

    /// The README, and all pages of the documentation.
    static func all() throws -> [MarkdownPage] {
        let folder = Repository.root.appending(path: "Documentation").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        return try ["README.md"].map(Self.init) + files.sorted().map { try Self("Documentation/" + $0) }
    }

    init(_ name: String) throws {
        self.name = name
        let text = try String(contentsOf: Repository.root.appending(path: name), encoding: .utf8)
        given = text.matches(of: #/(?ms)^<!-- swift given\n(.*?)^-->$/#).map { String($0.1) }
        base = text.firstMatch(of: #/(?m)^<!-- swift with (\S+) -->$/#).map { String($0.1) }
        var blocks: [Block] = []
        var open: (line: Int, mark: String, code: [Substring])?
        var mark = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let block = open {
                if line == "```" {
                    let code = block.code.map { $0 + "\n" }.joined()
                    blocks.append(Block(code: code, line: block.line, mark: block.mark))
                    open = nil
                } else {
                    open?.code.append(line)
                }
            } else if line == "```swift" {
                open = (index + 1, mark, [])
            }
            mark = line.wholeMatch(of: #/<!-- (.*) -->/#).map { String($0.1) } ?? ""
        }
        self.blocks = blocks
    }

    /// The code of the page that other pages go on from.
    var declarations: [String] {
        given + blocks.filter { $0.mark.isEmpty }.map(\.code)
    }

    /// The lines outside of Swift blocks that look like Swift: in a block of text, or indented. Lists are indented, too.
    static func unmarkedSwift(in text: String) -> [String] {
        var fence: Substring?
        let shown = text.replacing(#/(?ms)^<!--.*?-->$/#, with: "")
        return shown.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") {
                fence = fence == nil ? line.dropFirst(3) : nil
                return false
            }
            guard fence.map({ ["", "text"].contains($0) }) ?? line.hasPrefix("    ") else { return false }
            return line.contains(#/^\s*(let|var|func|try|await|import|struct|actor|final class|enum|extension) \w/#)
                && !line.contains("PackageDescription") && !line.contains("let package")
        }.map(String.init)
    }
}
