// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The page on configuration", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("Its examples compile: declarations as they stand, the rest inside a function")
    func examples() async throws {
        let page = Repository.root.appending(path: "Documentation/configuration.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        try #require(blocks.count == 2)
        let program = """
            \(blocks[0])
            @MainActor func example() async throws {
            \(blocks[1])
            try await watching
            }
            """
        let result = try await Compiler().compile(program)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty, "\(result.errors)")
    }
}
