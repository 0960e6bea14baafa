// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The README and the links between pages")
struct ReadmeTests {
    @Test("The client and context of the example take 25 lines, imports aside")
    func exampleIsShort() throws {
        let page = try MarkdownPage("README.md")
        try #require(page.blocks.count == 2)
        let lines = page.blocks[0].code.split(separator: "\n").filter { !$0.hasPrefix("import ") }
        #expect(lines.count <= 25)
    }

    @Test("The README takes two screens at most")
    func length() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 110)
    }

    @Test("All links between pages lead to a file and a heading, and links lead to all pages", .timeLimit(.minutes(10)))
    func links() async throws {
        let python = ExternalTool(
            installation: "python3 is missing: apt-get install python3",
            path: ExternalTool.find("python3")
        )
        let script = Repository.root.appending(path: "Scripts/documentation").path
        let result = try await python.run([script, "--links"])
        #expect(result.status == 0, "\(result.errors)")
    }
}
