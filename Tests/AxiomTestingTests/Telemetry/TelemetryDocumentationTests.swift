// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The documentation of telemetry assertions")
struct TelemetryDocumentationTests {
    /// The lines without their indentation and without empty ones.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test("The examples of the documentation are in the source that is compiled and run here")
    func examples() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let source = Self.lines(try text("Tests/AxiomTestingTests/Telemetry/TelemetryDocumentationExample.swift"))
        let blocks = try text("Documentation/testing-telemetry.md").split(separator: "```swift\n").dropFirst()
        #expect(blocks.count >= 4)
        for block in blocks {
            let example = Self.lines(block.split(separator: "```")[0])
            let isFound = source.indices.contains { source[$0...].starts(with: example) }
            #expect(isFound, "\(example.joined(separator: "\n"))")
        }
    }
}
