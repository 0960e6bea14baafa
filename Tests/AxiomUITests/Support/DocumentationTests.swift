// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@MainActor
@Suite("The page on the user interface", .timeLimit(.minutes(10)))
struct DocumentationTests {
    private func page() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "Documentation/user-interface.md"), encoding: .utf8)
    }

    @Test("Its example is the one that is compiled here (UI-04)")
    func example() throws {
        let block = try #require(page().split(separator: "```swift\n").last?.split(separator: "```").first)
        let file = Repository.root.appending(path: "Tests/AxiomUITests/Support/DocumentationExample.swift")
        #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix(block))
    }

    @Test("Its example draws what the page says (UI-04, UI-05)")
    func output() async throws {
        let outputs = Outputs<String>()
        var reads = 0
        try await runShop {
            outputs.append($0)
        } readKey: {
            let expected = reads == 0 ? "[1] Try again" : "CHF"
            reads += 1
            await until { outputs.all.last?.contains(expected) == true }
            return 1
        }
        let block = try #require(page().split(separator: "It draws\n\n```\n").last?.split(separator: "\n```").first)
        #expect(outputs.all.joined(separator: "\n") == block)
    }
}
