// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The page on pushes")
struct DocumentationTests {
    @Test("Its examples compile, each as a file of its own", .timeLimit(.minutes(10)))
    func examplesCompile() async throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "Documentation/push.md"),
            encoding: .utf8
        )
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 3)
        for block in blocks {
            let result = try await Compiler().compile(block)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        }
    }
}
