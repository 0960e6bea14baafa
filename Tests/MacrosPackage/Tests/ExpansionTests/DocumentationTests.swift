// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Documentation/macros.md")
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The blocks of Swift in the page.
    private func blocks() throws -> [[Substring]] {
        try text("Documentation/macros.md").components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0].split(separator: "\n")
        }
    }

    /// The lines from the client on: without the state and the actions.
    private func components(_ lines: [Substring]) -> Int {
        lines.drop { !$0.contains("actor ") }.count
    }

    @Test("The example with macros is the one that is compiled, and its client and context have at most 12 lines")
    func example() throws {
        let blocks = try blocks()
        try #require(blocks.count == 2)
        let compiled = try text("Tests/MacrosPackage/Sources/Example/Example.swift").split(separator: "\n")
        #expect(blocks[1] == compiled.drop { !$0.hasPrefix("@AxiomState") }.filter { !$0.hasPrefix("//") })
        #expect(components(blocks[1]) <= 12)
        let page = try text("Documentation/macros.md")
        #expect(page.contains("by hand, \(components(blocks[0])) lines:"))
        #expect(page.contains("With macros, \(components(blocks[1])) lines:"))
    }

    @Test("Every diagnostic is in the table")
    func diagnostics() throws {
        let page = try text("Documentation/macros.md")
        let missing = MisuseID.allCases.filter { !page.contains("`\($0.rawValue)`") }
        #expect(missing.isEmpty)
    }
}
