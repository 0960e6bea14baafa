// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "The names in dashboards and rules",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct MetricNameTests {
    @Test("What panels and rules name is on the demo's page, and what is on the page is used or listed with the reason")
    func bothWays() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile = folder.appending(path: "profile.json").path
        try await run(["--duration", "2s", "--rate", "200", "--record-profile", profile, "--profile-window", "100ms"])
        let page = folder.appending(path: "metrics.txt")
        // In a storm, and judged: with every family that the demo can have.
        let storm = ["--steps", "500", "--rate", "200", "--faults", "storm", "--linger", "120s"]
        try await run(storm + ["--baseline-profile", profile]) { demo in
            try await demo.loadEnded()
            try await Loopback.get("\(demo.exporter)/metrics").write(to: page)
        }
        #expect(try await RuleCheck.findings("names.py", [page.path]) == "")
    }

    private func run(_ arguments: [String], _ body: (DemoProcess) async throws -> Void = { _ in }) async throws {
        let demo = try await DemoProcess(arguments)
        try await body(demo)
        if arguments.contains("--linger") { demo.program.signal() }
        #expect(await demo.program.exitCode() == 0)
    }
}
#endif
