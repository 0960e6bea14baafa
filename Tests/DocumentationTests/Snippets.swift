// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// The Swift files that the blocks of a page form.
struct Snippets {
    /// A mark that is none.
    struct UnknownMark: Error, CustomStringConvertible {
        let description: String
    }

    /// The blocks that the sources of a target contain, line by line: that target compiles them.
    private(set) var contained = 0
    private(set) var files: [String] = []

    /// - Parameter sources: The lines of Swift files, as ``lines(_:)`` makes them.
    init(_ page: MarkdownPage, sources: [[String]]) throws {
        var shared = page.given
        if let base = page.base { shared += try MarkdownPage(base).declarations }
        let begin = shared.count
        for (number, block) in page.blocks.enumerated() where block.reason == nil && !block.isFile {
            // A file imports more than a block needs.
            let code = Self.lines(block.code).filter { !$0.hasPrefix("import ") }
            if !code.isEmpty, sources.contains(where: { Self.contains($0, code) }) {
                contained += 1
                continue
            }
            switch block.mark {
            case "": shared.append(block.code)
            case "swift alone": files.append(block.code)
            case let mark where mark.hasPrefix("swift statements"):
                let parameters = mark.dropFirst("swift statements".count).trimmingCharacters(in: .whitespaces)
                shared.append(Self.function(number, parameters.isEmpty ? "()" : parameters, block.code))
            case let mark where mark.hasPrefix("swift with "): shared.append(block.code)
            default: throw UnknownMark(description: "\(page.name):\(block.line): unknown mark `\(block.mark)`")
            }
        }
        if shared.count > begin { files.append(shared.joined(separator: "\n")) }
    }

    /// The statements as a function; their imports stay outside. A constant that the reader goes on with counts as used.
    private static func function(_ number: Int, _ parameters: String, _ code: String) -> String {
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        let imports = lines.filter { $0.hasPrefix("import ") }
        let body = lines.filter { !$0.hasPrefix("import ") }
        let used = code.matches(of: #/(?m)^(async )?let (\w+)/#).map { "_ = \($0.1 == nil ? "" : "try await ")\($0.2)" }
        let head = "@MainActor func example\(number)\(parameters) async throws {"
        return (imports + [head[...]] + body + used.map { $0[...] } + ["}"]).joined(separator: "\n")
    }

    /// The lines of a text without their indentation and without empty ones.
    static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func contains(_ source: [String], _ block: [String]) -> Bool {
        guard let first = block.first else { return true }
        return source.indices.contains { source[$0] == first && source[$0...].starts(with: block) }
    }

    /// The lines of the Swift files of the tests, which targets compile.
    static func sourcesOfTests() throws -> [[String]] {
        let folder = Repository.root.appending(path: "Tests").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? .init()
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { lines(try String(contentsOf: $0, encoding: .utf8)) }
    }
}
