// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "The demo's budgets and profiles",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct PerformanceTests {
    private static let load = ["--rate", "200", "--steps", "600", "--faults", "mild", "--linger", "120s"]

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    /// Runs the load, and reads the metrics page after it.
    private func run(_ arguments: [String]) async throws -> MetricTotals {
        let demo = try await DemoProcess.counted(Self.load + arguments)
        try await demo.loadEnded()
        let metrics = try await demo.scrape()
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0, "\(demo.program.output)")
        return metrics
    }

    @Test(
        "The table has every budget: each is met or missed by measurements, or has a reason why it cannot be measured"
    )
    func budgetTable() async throws {
        try await withFolder { folder in
            let metrics = try await run(["--budget-report", folder + "/budgets.md"])
            let table = try String(contentsOfFile: folder + "/budgets.md", encoding: .utf8)
            let rows = table.split(separator: "\n").dropFirst(2).map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            #expect(rows.count > 25)
            let confirmed = metrics.values(of: "budget", in: "axiom_budget_confirmed").count
            #expect((5...20).contains(confirmed), "\(confirmed)")
            for row in rows {
                let status = try #require(row.last)
                let isMeasured = status == "met" || status.hasPrefix("missed: ")
                // Every error of the demo begins in a capability.
                if row[0] == "client_error_propagation", status == "not measured" { continue }
                #expect(isMeasured || status.hasPrefix("n/a: "), "\(row)")
                let latency = metrics.total("axiom_budget_limit_seconds", ["budget": row[0]])
                let memory = metrics.total("axiom_budget_limit_bytes", ["budget": row[0]])
                // The page has the limit of each confirmed budget except the leaks, of which there may be none.
                guard isMeasured, metrics.total("axiom_budget_confirmed", ["budget": row[0]]) > 0 else { continue }
                #expect((latency + memory > 0) != (row[0] == "leak_prevention"), "\(row)")
            }
        }
    }

    @Test("The violations of a budget are a part of its checks, and some waits in the storm are violations")
    func budgetCounts() async throws {
        let metrics = try await run(["--faults", "storm"])
        let budgets = metrics.values(of: "budget", in: "axiom_budget_checks_total")
        #expect(budgets == metrics.values(of: "budget", in: "axiom_budget_violations_total"))
        for budget in budgets {
            let checks = metrics.total("axiom_budget_checks_total", ["budget": budget])
            #expect(metrics.total("axiom_budget_violations_total", ["budget": budget]) <= checks, "\(budget)")
        }
        let answered = metrics.total("axiom_client_action_duration_seconds_count")
        #expect(metrics.total("axiom_budget_checks_total", ["budget": "client_action"]) == answered)
        #expect(metrics.total("axiom_budget_violations_total", ["budget": "client_action"]) > 0)
    }

    @Test("A recording is a baseline for the next run, which has a verdict for each of its actions")
    func profile() async throws {
        try await withFolder { folder in
            let path = folder + "/profile.json"
            let recorded = try await run(["--record-profile", path, "--profile-window", "100ms"])
            #expect(recorded.values(of: "component", in: "axiom_regression_active").isEmpty)
            let judged = try await run(["--baseline-profile", path])
            let components = judged.values(of: "component", in: "axiom_regression_active")
            #expect(components.isSuperset(of: ["CartClient", "CartContext"]))
            for component in components {
                let labels = ["component": component]
                let percentiles = judged.values(of: "percentile", in: "axiom_regression_active", where: labels)
                #expect(percentiles == ["p50", "p90", "p99"])
            }
        }
    }
}
#endif
