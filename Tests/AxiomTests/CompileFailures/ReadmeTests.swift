// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The README and the pages of the documentation", .serialized)
struct ReadmeTests {
    @Test("Their examples compile: declarations as they stand, the rest inside a function")
    func exampleCompiles() async throws {
        let readme = try swiftBlocks("README.md")
        let errors = try swiftBlocks("Documentation/errors-and-resilience.md")
        let budgets = try swiftBlocks("Documentation/budgets-and-regressions.md")
        let traces = try swiftBlocks("Documentation/traces.md")
        try #require(readme.count == 2 && errors.count == 2 && budgets.count == 1 && traces.count == 3)
        let program = """
            \(readme[0])
            \(errors[0])
            @MainActor func example() async throws {
            \(readme[1])
            \(errors[1])
            _ = guarded
            \(budgets[0])
            \(traces[0])
            }
            """
        try await expectCompiles(program)
        // The bridges to other packages: files of their own.
        for bridge in traces.dropFirst() { try await expectCompiles(bridge) }
    }

    @Test("The examples of the page on states compile")
    func statesCompile() async throws {
        let blocks = try swiftBlocks("Documentation/state.md")
        try await expectCompiles(blocks.joined(separator: "\n"))
    }

    @Test("The program of the page on benchmarks compiles")
    func benchmarksCompile() async throws {
        let blocks = try swiftBlocks("Documentation/benchmarks.md")
        let program = try #require(blocks.first)
        try await expectCompiles(
            """
            \(program)
            func parse(_ text: String) -> Int { text.utf8.count }
            let text = "what is parsed"
            """
        )
    }

    @Test("The examples of the page on concurrency compile")
    func concurrencyCompiles() async throws {
        let blocks = try swiftBlocks("Documentation/concurrency.md")
        #expect(blocks.count == 3)
        for block in blocks { try await expectCompiles(block) }
    }

    @Test("The program of the page on capabilities compiles")
    func capabilitiesCompile() async throws {
        let blocks = try swiftBlocks("Documentation/capabilities.md")
        try #require(blocks.count == 3)
        try await expectCompiles((blocks.dropLast() + ["@MainActor " + blocks[2]]).joined(separator: "\n"))
    }

    @Test("The examples of the pages on inspection and on actions compile (INS-02, MID-01)")
    func inspectionAndActions() async throws {
        let inspection = try swiftBlocks("Documentation/inspection.md")
        let actions = try swiftBlocks("Documentation/actions.md")
        try #require(inspection.count == 2 && actions.count == 4)
        try await expectCompiles(
            """
            import Axiom
            \(actions[0])
            \(actions[1])
            @MainActor func example(_ orchestrator: Orchestrator) async throws {
            \(inspection[0])
            \(inspection[1])
            orchestrator.use(Counting())
            \(actions[3])
            }
            """
        )
        try await expectCompiles(actions[2])
    }

    private func expectCompiles(_ program: String) async throws {
        let result = try await Compiler().compile(program)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test("The client and context of the example take 25 lines, imports aside")
    func exampleIsShort() throws {
        let lines = try swiftBlocks("README.md")[0].split(separator: "\n").filter { !$0.hasPrefix("import ") }
        #expect(lines.count <= 25)
    }

    @Test("The README takes two screens at most, and all files that the pages link to exist")
    func links() throws {
        #expect(try page("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 110)
        let folder = Repository.root.appending(path: "Documentation")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        for name in ["README.md"] + pages.map({ "Documentation/" + $0 }) {
            let base = Repository.root.appending(path: name).deletingLastPathComponent()
            for link in try page(name).matches(of: /\]\(([^)#:]+)\)/) {
                let target = base.appending(path: String(link.1)).standardizedFileURL.path
                #expect(FileManager.default.fileExists(atPath: target), "\(name) links to \(link.1)")
            }
        }
    }

    private func page(_ name: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: name), encoding: .utf8)
    }

    private func swiftBlocks(_ name: String) throws -> [String] {
        try page(name).components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }
}
