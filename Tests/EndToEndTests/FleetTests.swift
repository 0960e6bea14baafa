// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "Twenty demos under one Prometheus server with the sample configuration",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct FleetTests {
    private static let size = 20

    /// Recording rules that sum over instances: the expression that they sum, and the labels that they keep.
    private static let sums: [(rule: String, of: String, by: [String])] = [
        (
            "job_context_outcome:axiom_context_actions:rate5m", "rate(axiom_context_actions_total[5m])",
            ["context", "outcome"]
        ),
        (
            "job_client_outcome:axiom_client_actions:rate5m", "rate(axiom_client_actions_total[5m])",
            ["client", "outcome"]
        ),
        (
            "job_client_le:axiom_client_action_duration_seconds_bucket:rate5m",
            "rate(axiom_client_action_duration_seconds_bucket[5m])", ["client", "le"]
        ),
        ("job_client:axiom_client_actions_in_flight:sum", "axiom_client_actions_in_flight", ["client"]),
        ("job_component_code:axiom_errors:rate5m", "rate(axiom_errors_total[5m])", ["component", "code"]),
        ("job_kind_component:axiom_component_live:sum", "axiom_component_live", ["kind", "component"]),
        ("job_breaker_state:axiom_circuit_state:sum", "axiom_circuit_state", ["breaker", "state"]),
        (
            "job_breaker_outcome:axiom_circuit_calls:rate5m", "rate(axiom_circuit_calls_total[5m])",
            ["breaker", "outcome"]
        ),
        ("job:process_cpu_seconds:rate5m", "rate(process_cpu_seconds_total[5m])", []),
        ("job:process_resident_memory_bytes:sum", "process_resident_memory_bytes", []),
        (
            "job_budget_component:axiom_budget_violations:rate5m",
            // On the default page only confirmed budgets have components.
            "rate(axiom_budget_violations_total{component!=\"\"}[5m])", ["budget", "component"]
        ),
        ("job_instance:axiom_errors:rate5m", "rate(axiom_errors_total[5m])", ["instance"]),
        ("job_instance:axiom_component_live:sum", "axiom_component_live", ["instance"]),
        (
            "job_store_operation_outcome:axiom_storage_operations:rate5m",
            "rate(axiom_storage_operations_total[5m])", ["store", "operation", "outcome"]
        ),
    ]

    @Test("All are scraped; the rules record the sum of the instances; every panel has data")
    func fleet() async throws {
        let fleet = try await Fleet(count: Self.size)
        for demo in fleet.demos { try await demo.loadEnded() }
        try await expectAllScraped(fleet)
        for sum in Self.sums {
            try await Loopback.wait(for: "\(sum.rule) to be the sum of the instances") {
                try await isSum(sum, fleet.prometheus)
            }
        }
        try await Loopback.wait(for: "a recorded count of all instances") {
            let count = try await fleet.prometheus.value(of: "job_version_revision:axiom_instances:count")
            return count == Double(Self.size)
        }
        try await expectPanelsAnswered(fleet.prometheus)
        #expect(await fleet.stop() == Array(repeating: 0, count: Self.size))
    }

    @Test(
        "A server with native histograms stores no classic ones, and every rule and every panel has an answer there too"
    )
    func nativeHistograms() async throws {
        // Without a length, the load lasts until the signal at the end, however long the waits take.
        let load = ["--rate", "40"]
        let fleet = try await Fleet(count: 2, load: load, features: ["native-histograms"])
        let quantile = "histogram_quantile(0.99, sum(rate(axiom_client_action_duration_seconds[10s])))"
        try await Loopback.wait(for: "a quantile of a native histogram") {
            try await fleet.prometheus.value(of: quantile).map { $0 > 0 } ?? false
        }
        let classic = "count({__name__=~\"axiom_.+_seconds_bucket\"})"
        #expect(try await fleet.prometheus.value(of: classic) == nil)
        for rule in try recordingRules() {
            try await Loopback.wait(for: "\(rule) to be recorded") {
                try await !fleet.prometheus.samples(of: rule).isEmpty
            }
        }
        try await expectPanelsAnswered(fleet.prometheus)
        #expect(await fleet.stop() == [0, 0])
    }

    /// The names of all recording rules.
    private func recordingRules() throws -> [String] {
        let file = RuleCheck.dashboards.appending(path: "prometheus/axiom.recording.yml")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.matches(of: /record: "?([\w:]+)/).map { String($0.1) }
    }

    /// Every instance is up, and the calls of each client in Prometheus are the sum of those in all ledgers.
    private func expectAllScraped(_ fleet: Fleet) async throws {
        var calls: [String: Double] = [:]
        for demo in fleet.demos {
            let ledger = try await demo.ledger()
            for client in ledger.clients.keys { calls[client, default: 0] += ledger.endedCalls(of: client) }
        }
        let expected = calls
        try await Loopback.wait(for: "all instances in Prometheus, with all their calls") {
            guard try await fleet.prometheus.value(of: "sum(up{job=\"axiom\"})") == Double(Self.size) else {
                return false
            }
            let counted = try await fleet.prometheus.samples(of: "sum by (client) (axiom_client_actions_total)")
            return Dictionary(counted.map { ($0.labels["client"] ?? "", $0.value) }, uniquingKeysWith: +) == expected
        }
    }

    /// Whether the value that a rule recorded at its latest evaluation is the sum that the test queries for that time. A
    /// scrape that ends at that time is in only one of the two, so this need not hold at the first evaluation.
    private func isSum(
        _ sum: (rule: String, of: String, by: [String]),
        _ prometheus: PrometheusServer
    ) async throws -> Bool {
        guard let time = try await prometheus.value(of: "max(timestamp(\(sum.rule)))") else { return false }
        let recorded = try await prometheus.samples(of: sum.rule, at: time)
        var expected: [[String]: Double] = [:]
        var instances: Set<String> = []
        for sample in try await prometheus.samples(of: sum.of, at: time) {
            instances.insert(sample.labels["instance"] ?? "")
            expected[sum.by.map { sample.labels[$0] ?? "" }, default: 0] += sample.value
        }
        let wanted = try await reporting(sum.of, prometheus, at: time)
        return !instances.isEmpty && instances == wanted && recorded.count == expected.count
            && recorded.allSatisfy { sample in
                guard let value = expected[sum.by.map { sample.labels[$0] ?? "" }] else { return false }
                return abs(sample.value - value) <= 1e-9 * max(1, abs(value))
            }
    }

    /// The instances that must be in a sum: all of them. Of what only faults cause, those that have a series: the storm of
    /// a demo may cause none.
    private func reporting(
        _ expression: String,
        _ prometheus: PrometheusServer,
        at time: Double
    ) async throws -> Set<String> {
        let ofFaults = ["axiom_errors_total", "axiom_budget_violations_total"]
        // A rate needs two scrapes, and a series one.
        let isOfFaults = ofFaults.contains { expression.contains($0) }
        let metric = isOfFaults ? expression.replacing(/^rate\(|\[5m\]\)$/, with: "") : "up{job=\"axiom\"}"
        let series = try await prometheus.samples(of: "group by (instance) (\(metric))", at: time)
        return Set(series.compactMap { $0.labels["instance"] })
    }

    // MARK: - Panels

    /// Queries that may be empty: nothing was judged, the machine does not report the value, the demo has no such part, none of
    /// its families holds half of its limit of series, or nothing grows or holds the main actor.
    private static let mayBeEmpty = [
        "axiom_regression_", "axiom_circuit_slow_", "axiom_client_actions_overdue", "axiom_client_overdue_",
        "axiom_capability_change", "axiom_capability_permission",
        "axiom_configuration_", "axiom_feature_flag_", "process_pressure_", "axiom_metrics_series",
        "kind=\"growth\"", "kind=\"main_actor\"", "ALERTS", " > 0",
    ]

    private func expectPanelsAnswered(_ prometheus: PrometheusServer) async throws {
        for file in RuleCheck.files("grafana", ".json") {
            let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: URL(filePath: file)))
            for panel in dashboard.panels.flatMap({ [$0] + ($0.panels ?? []) }) {
                for target in panel.targets ?? [] {
                    if Self.mayBeEmpty.contains(where: { target.expr.contains($0) }) { continue }
                    // A scrape that misses its deadline leaves gauges without a value until the next one.
                    try await Loopback.wait(for: "\(dashboard.title), \(panel.title): \(target.expr)") {
                        try await !prometheus.samples(of: Self.filledIn(target.expr)).isEmpty
                    }
                }
            }
        }
    }

    /// The query as Grafana sends it with every variable set to "All".
    private static func filledIn(_ query: String) -> String {
        query.replacing("$__rate_interval", with: "5m").replacing("$__range", with: "1h")
            .replacing(/\$\w+/, with: ".*")
    }

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            let title: String
            let targets: [Target]?
            /// Those of a collapsed row.
            let panels: [Panel]?
        }

        struct Target: Decodable {
            let expr: String
        }

        let title: String
        let panels: [Panel]
    }
}

/// Many demos at free ports under one Prometheus server, which has the sample configuration. The first demo replaces the
/// target of the sample; the others are in a file of targets.
private struct Fleet {
    let demos: [DemoProcess]
    let prometheus: PrometheusServer

    /// Starts the demos one after the other: each needs a core for a moment.
    ///
    /// - Parameters:
    ///   - load: How long each demo works, and how fast.
    ///   - features: The values of Prometheus' `--enable-feature`.
    init(
        count: Int,
        load: [String] = ["--steps", "60", "--rate", "40", "--linger", "300s"],
        features: [String] = []
    ) async throws {
        var demos: [DemoProcess] = []
        for seed in 1...count {
            demos.append(try await DemoProcess.counted(load + ["--faults", "storm", "--seed", "\(seed)"]))
        }
        self.demos = demos
        let folder = RuleCheck.dashboards.appending(path: "prometheus")
        let addresses = demos.map { $0.exporter.replacing("http://", with: "") }
        var files = ["targets/fleet.json": "[{\"targets\": \(Array(addresses.dropFirst()))}]"]
        for rules in ["axiom.recording.yml", "axiom.fleet.yml", "axiom.alerts.yml"] {
            // Chunks of minutes and hours are not waited for.
            files[rules] = try String(contentsOf: folder.appending(path: rules), encoding: .utf8)
                .replacing("interval: \"1m\"", with: "interval: 2s").replacing(/\[\w+:(5m|1h)\]/, with: "[1m:2s]")
        }
        let sample = try String(contentsOf: folder.appending(path: "prometheus.yml"), encoding: .utf8)
        prometheus = try await PrometheusServer(
            configuration: sample.replacing("127.0.0.1:9464\"]", with: "\(addresses[0])\"]")
                .replacing("evaluation_interval: 15s", with: "evaluation_interval: 2s"),
            features: features,
            files: files
        )
    }

    /// Ends all demos, and returns their exit codes.
    func stop() async -> [Int32] {
        for demo in demos { demo.program.signal() }
        var codes: [Int32] = []
        for demo in demos { codes.append(await demo.program.exitCode()) }
        return codes
    }
}
#endif
