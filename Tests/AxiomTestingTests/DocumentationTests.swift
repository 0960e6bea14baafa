// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The page on testing")
struct DocumentationTests {
    @Test("Its examples are compiled and run in Tests/KitPackage, and that of a request handler here")
    func examples() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let files = ["NotesTests", "RecordingTests"].map { "KitPackage/Tests/NotesTests/\($0)" }
        let tests = try (files + ["AxiomTestingTests/EndpointTests"]).map { try text("Tests/\($0).swift") }.joined()
        let blocks = try text("Documentation/testing.md").split(separator: "```swift\n").dropFirst()
        #expect(blocks.count == 9)
        for block in blocks {
            let example = try #require(block.split(separator: "```", maxSplits: 1).first)
            #expect(tests.contains(example), "\(example)")
        }
    }
}
