// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The page on testing")
struct DocumentationTests {
    @Test("Its examples are compiled and run in Tests/KitPackage")
    func examples() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let tests = try ["NotesTests", "RecordingTests"].map {
            try text("Tests/KitPackage/Tests/NotesTests/\($0).swift")
        }
        .joined()
        let blocks = try text("Documentation/testing.md").split(separator: "```swift\n").dropFirst()
        #expect(blocks.count == 7)
        for block in blocks {
            let example = try #require(block.split(separator: "```", maxSplits: 1).first)
            #expect(tests.contains(example), "\(example)")
        }
    }
}
