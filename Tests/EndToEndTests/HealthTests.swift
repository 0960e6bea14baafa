// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "The health of applications",
    .serialized,
    .timeLimit(.minutes(20)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct HealthTests {
    /// What the dashboard and Prometheus report about a run.
    private struct Findings {
        let problems: [Snapshot.Problem]
        /// The alerts that were firing or pending at any time of the run.
        let alerts: Set<String>
        /// The lines of the demo's output beyond its addresses and its summary.
        let messages: [String]

        /// Without what says that something took too long, which other programs cause that have the processors.
        var besidesDelays: Findings {
            Findings(
                problems: problems.filter {
                    !["budgets", "hangs", "regressions"].contains($0.panel) && !$0.text.contains(" is slow: ")
                        && !$0.text.contains(" was slow: ")
                },
                alerts: alerts.filter {
                    !$0.hasPrefix("AxiomPerformanceBudgetBurn") && !$0.hasPrefix("AxiomRegressionActive")
                },
                messages: messages.filter { !$0.contains(/^axiom: (?:warning|error): budget\b/) }
            )
        }
    }

    private struct Snapshot: Decodable {
        struct Problem: Decodable, CustomStringConvertible {
            let kind: String
            let panel: String
            let text: String
            let ended: Double?

            var description: String { "\(kind)\(ended == nil ? "" : ", ended"): \(text)" }
        }

        let problems: [Problem]
    }

    /// What is no observation. A debug build on a busy machine may miss limits that nobody confirmed.
    private static let observation = "note"

    /// The length of the load: ten minutes times AXIOM_TEST_SCALE, and at least 15 s, in which rules record their first rates.
    private static let seconds = max(15, TestScale.count(600, usual: 0.01))

    /// The beginnings of the lines that every run prints.
    private static let usualLines = ["build:     ", "dashboard: http://", "metrics:   http://", "upstream:  http://"]

    /// A machine that other programs keep busy makes the application late. Then delays are no finding, all else is.
    @Test("A healthy application has no problem on its page, no alert in Prometheus, and no message in its output")
    func healthy() async throws {
        let (all, wait) = try await run("none")
        let findings = wait > Self.tolerableWait ? all.besidesDelays : all
        #expect(findings.problems.isEmpty, "\(findings.problems)")
        #expect(findings.alerts.isEmpty)
        #expect(findings.messages.isEmpty)
    }

    @Test("In a storm the same check finds problems and alerts")
    func unhealthy() async throws {
        // Not only delays, so the check finds something on a busy machine, too.
        let findings = try await run("storm").findings.besidesDelays
        #expect(!findings.problems.isEmpty)
        #expect(!findings.alerts.isEmpty)
    }

    /// The tests of the page in Python that need an idle machine.
    static let files = ["healthy_tests", "headline_tests"]

    @Test(
        "A healthy application has no problem on its page in a real Chromium",
        .enabled(if: Browser.mayRun, Comment(rawValue: Browser.installation))
    )
    func page() async throws {
        try await Browser.required().run(["healthy_tests"])
    }

    /// The seed and the seconds are in the output. `Scripts/thorough headlines` plants all faults.
    @Test(
        "The first lines of the page name each of three planted faults, drawn by a seed, and nothing without a fault",
        .enabled(if: Browser.mayRun, Comment(rawValue: Browser.installation))
    )
    func headlines() async throws {
        try await Browser.required().run(["headline_tests"])
    }

    /// Above this share of the run, waiting for a processor may explain delays.
    private static let tolerableWait = 0.02

    /// Runs the demo with these faults until its load has ended, under a Prometheus server with the sample rules. Returns
    /// its wait for a processor, too, as a share of the run.
    private func run(_ faults: String) async throws -> (findings: Findings, wait: Double) {
        let demo = try await DemoProcess(["--faults", faults, "--duration", "\(Self.seconds)s", "--linger", "10m"])
        let prometheus = try await Self.prometheus(of: demo)
        try await demo.loadEnded()
        let snapshot = try JSONDecoder().decode(
            Snapshot.self,
            from: try await Loopback.get("\(demo.exporter)/api/snapshot")
        )
        let alerts = try await Self.alerts(prometheus)
        let wait = demo.program.processorWait / Double(Self.seconds)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
        let lines = demo.program.output.split(separator: "\n").map(String.init)
        let messages = lines.filter { line in
            !line.contains(" actions; ") && !Self.usualLines.contains { line.hasPrefix($0) }
        }
        print(
            "--faults \(faults), \(Self.seconds) s: \(snapshot.problems.count) problems \(snapshot.problems), "
                + "\(alerts.count) alerts \(alerts.sorted()), \(messages.count) messages \(messages), "
                + "waited for a processor in \(wait) of the time"
        )
        let problems = snapshot.problems.filter { $0.kind != Self.observation }
        return (Findings(problems: problems, alerts: alerts, messages: messages), wait)
    }

    /// A server with the sample configuration and its rules, which it evaluates more often than the sample.
    private static func prometheus(of demo: DemoProcess) async throws -> PrometheusServer {
        let folder = Repository.root.appending(path: "Dashboards/prometheus")
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        let address = demo.exporter.replacing("http://", with: "")
        return try await PrometheusServer(
            configuration: try text("prometheus.yml").replacing("127.0.0.1:9464\"]", with: "\(address)\"]")
                .replacing("evaluation_interval: 15s", with: "evaluation_interval: 2s"),
            files: [
                "axiom.recording.yml": try text("axiom.recording.yml"),
                "axiom.alerts.yml": try text("axiom.alerts.yml"),
            ]
        )
    }

    private static func alerts(_ prometheus: PrometheusServer) async throws -> Set<String> {
        // The rules are evaluated: they have recorded the actions of the demo.
        try await Loopback.wait(for: "recorded rates") {
            try await prometheus.value(of: "count(job_client_outcome:axiom_client_actions:rate5m)") != nil
        }
        // The alerts about the exporter are pending until the first scrape.
        let query = "last_over_time(ALERTS{alertname!~\"AxiomExporter.*\"}[\(seconds)s])"
        let seen = try await prometheus.samples(of: query)
        return Set(
            seen.map { sample in
                let labels = sample.labels
                let names = ["alertname", "alertstate", "component", "breaker", "budget"].compactMap { labels[$0] }
                return names.joined(separator: " ")
            }
        )
    }
}
#endif
