// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("Paths and metrics in reports")
struct ReportPathTests {
    private func project() throws -> SampleFolder {
        try SampleFolder([
            ".git/HEAD": "", "App/Sources/Price.swift": CommandLineTests.wrong,
            "App/Sources/Cart.swift": CommandLineTests.holder,
        ])
    }

    @Test("Annotations and SARIF have the paths of the repository, other formats those of the root")
    func repository() async throws {
        let folder = try project()
        let gitHub = try await folder.verify("--root", "App", "--format", "github")
        #expect(gitHub.output.contains("::error file=App/Sources/Cart.swift,line=5,"), "\(gitHub.output)")
        let sarif = try await folder.verify("--root", "App", "--format", "sarif")
        #expect(sarif.output.contains("\"uri\": \"App/Sources/Cart.swift\""), "\(sarif.output)")
        #expect(sarif.output.contains("startColumn"))
        let agent = try await folder.verify("--root", "App", "--format", "agent")
        #expect(agent.output.hasPrefix("Sources/Cart.swift:5:"), "\(agent.output)")
    }

    @Test("Paths outside of the repository stay as they are")
    func outside() throws {
        let folder = try project()
        let repository = try #require(Repository(around: folder.path("App")))
        #expect(repository.prefix == "App/")
        #expect(repository.path(of: "../Other/a.swift") == "Other/a.swift")
        #expect(repository.path(of: folder.path("Other/a.swift")) == "Other/a.swift")
        #expect(repository.path(of: "/elsewhere/a.swift") == "/elsewhere/a.swift")
        #expect(Repository(around: folder.root)?.prefix == "")
    }

    @Test(
        "A stale entry is in the baseline that the command line names",
        arguments: [FindingFormat.text, .github, .junit, .sarif, .agent]
    )
    func stale(format: FindingFormat) async throws {
        let folder = try project()
        #expect(try await folder.verify("freeze", "--root", "App", "--baseline", "old.json").status == 0)
        try folder.write("", to: "App/Sources/Cart.swift")
        let arguments = ["--root", "App", "--baseline", "old.json", "--format", format.rawValue]
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        let result = try await folder.run(tool, arguments, environment: ["CI=true"])
        #expect(result.status == 4)
        #expect(result.output.contains("old.json"), "\(result.output)")
        #expect(!result.output.contains("axiom-verify.baseline.json"), "\(result.output)")
    }

    @Test("The JSON report has the numbers of each file (TL-V4)")
    func metrics() async throws {
        struct Report: Decodable {
            struct File: Decodable, Equatable {
                var path: String
                var components: Int
                var componentsWithoutErrors: Int
                var dependencyDepth: Int
            }

            var metrics: [File]
        }
        let folder = try project()
        try folder.write("struct Price {}\n", to: "App/Sources/Value.swift")
        let expected: [Report.File] = [
            .init(path: "Sources/Cart.swift", components: 1, componentsWithoutErrors: 0, dependencyDepth: 2),
            .init(path: "Sources/Price.swift", components: 1, componentsWithoutErrors: 1, dependencyDepth: 1),
            .init(path: "Sources/Value.swift", components: 0, componentsWithoutErrors: 0, dependencyDepth: 0),
        ]
        for _ in 0..<2 {
            let output = try await folder.verify("--root", "App", "--format", "json").output
            #expect(try JSONDecoder().decode(Report.self, from: Data(output.utf8)).metrics == expected)
        }
    }
}
