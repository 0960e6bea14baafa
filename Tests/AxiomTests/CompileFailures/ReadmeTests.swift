// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The README", .serialized)
struct ReadmeTests {
    @Test("Its examples compile: declarations as they stand, the rest inside a function")
    func exampleCompiles() async throws {
        let blocks = try swiftBlocks()
        try #require(blocks.count == 6)
        let program = """
            \(blocks[0])
            \(blocks[2])
            @MainActor func example() async throws {
            \(blocks[1])
            \(blocks[3])
            _ = guarded
            \(blocks[4])
            }
            """
        try await expectCompiles(program)
    }

    @Test("Its program of benchmarks compiles")
    func benchmarksCompile() async throws {
        let program = try #require(try swiftBlocks().last)
        try await expectCompiles(
            """
            \(program)
            func parse(_ text: String) -> Int { text.utf8.count }
            let text = "what is parsed"
            """
        )
    }

    private func expectCompiles(_ program: String) async throws {
        let result = try await Compiler().compile(program)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test("The client and context of the example take 25 lines, imports aside")
    func exampleIsShort() throws {
        let lines = try swiftBlocks()[0].split(separator: "\n").filter { !$0.hasPrefix("import ") }
        #expect(lines.count <= 25)
    }

    private func swiftBlocks() throws -> [String] {
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        return readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }
}
