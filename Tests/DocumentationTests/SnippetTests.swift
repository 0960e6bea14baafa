// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The Swift code in the documentation", .timeLimit(.minutes(10)))
struct SnippetTests {
    private static let pages = (try? MarkdownPage.all().filter { !$0.blocks.isEmpty }) ?? []
    private static let sources = Result { try Snippets.sourcesOfTests() }

    @Test("Every block of every page compiles, or is in a file of a test that compiles", arguments: pages.map(\.name))
    func compiles(name: String) async throws {
        let snippets = try Snippets(try MarkdownPage(name), sources: try Self.sources.get())
        for file in snippets.files {
            let result = try await Compiler().compile(file)
            #expect(result.status == 0 && result.errors.isEmpty, "\(name)\n\(result.errors)")
        }
    }

    @Test("Each block that is not compiled says why, and there are at most five")
    func unchecked() throws {
        try #require(Self.pages.count > 20)
        let blocks = Self.pages.flatMap(\.blocks)
        let reasons = blocks.compactMap(\.reason)
        #expect(reasons.count <= 5 && reasons.filter { $0.count <= 10 } == [], "\(reasons)")
        // A block of the tutorial is built and run by Scripts/try-tutorial, which reads this page only.
        let others = Self.pages.filter { $0.name != "Documentation/tutorial.md" }.flatMap(\.blocks)
        #expect(others.filter(\.isFile).map(\.line) == [])
    }

    @Test("Swift code stands in blocks that say so, except for lines of manifests")
    func marked() throws {
        for name in try MarkdownPage.all().map(\.name) {
            let text = try String(contentsOf: Repository.root.appending(path: name), encoding: .utf8)
            #expect(MarkdownPage.unmarkedSwift(in: text) == [], "\(name)")
        }
        #expect(MarkdownPage.unmarkedSwift(in: "```\nlet a = 1\n```") == ["let a = 1"])
        #expect(MarkdownPage.unmarkedSwift(in: "As here:\n\n    try await a.b()\n") == ["    try await a.b()"])
        #expect(MarkdownPage.unmarkedSwift(in: "```swift\nlet a = 1\n```\n\n    swift build\n") == [])
    }

    @Test("Code that does not compile is found, also inside of a function")
    func finds() async throws {
        for code in ["let wrong: Int = \"\"", "import Axiom\nfunc run() { Orchestrator().nothing() }"] {
            #expect(try await Compiler().compile(code).status != 0)
        }
    }
}
