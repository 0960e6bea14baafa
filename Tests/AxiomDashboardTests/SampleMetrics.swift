// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics

/// Metrics under the names that the page reads, as the instrumentation of an application would record them.
struct SampleMetrics {
    let registry = Registry()
    private let components: [(String, Family<Gauge, String, String>)]
    private let totals: [(String, Family<Counter, String, String>)]
    private let lifetimes: Family<Histogram, String, String>
    private let calls: [String: Family<Counter, String, String, String>]
    private let durations: [String: Family<Histogram, String, String>]
    private let errors: Family<Counter, String, String, String>

    init() throws {
        let (kind, component) = (Label<String>("kind"), Label<String>("component"))
        let registry = registry
        components = try ["axiom_component_live", "axiom_component_leak_suspects"].map {
            ($0, try registry.gauges($0, help: "Now.", labels: kind, component))
        }
        totals = try ["axiom_component_created_total", "axiom_component_destroyed_total"].map {
            ($0, try registry.counters($0, help: "So far.", labels: kind, component))
        }
        lifetimes = try registry.histograms(
            "axiom_component_lifetime_seconds",
            help: "Lifetimes.",
            labels: kind,
            component,
            buckets: [0.001, 0.01, 0.1, 1, 10, 60, 300, 1800, 3600, 14_400, 86_400]
        )
        var calls: [String: Family<Counter, String, String, String>] = [:]
        var durations: [String: Family<Histogram, String, String>] = [:]
        for kind in ["client", "context"] {
            calls[kind] = try registry.counters(
                "axiom_\(kind)_actions_total",
                help: "Calls.",
                labels: Label<String>(kind),
                Label<String>("action"),
                Label<String>("outcome")
            )
            durations[kind] = try registry.histograms(
                "axiom_\(kind)_action_duration_seconds",
                help: "Durations.",
                labels: Label<String>(kind),
                Label<String>("action"),
                buckets: [1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.008, 0.01, 0.016, 0.05, 0.3, 1]
            )
        }
        self.calls = calls
        self.durations = durations
        errors = try registry.counters(
            "axiom_errors_total",
            help: "Errors.",
            labels: component,
            Label<String>("code"),
            Label<String>("severity")
        )
    }

    var snapshot: Snapshot { registry.collect() }

    func component(
        _ kind: String,
        _ name: String,
        created: UInt64,
        ended: UInt64,
        suspects: Double = 0,
        lived: Double = 1
    ) {
        components[0].1(kind, name).set(Double(created - ended))
        components[1].1(kind, name).set(suspects)
        totals[0].1(kind, name).increment(by: created)
        totals[1].1(kind, name).increment(by: ended)
        for _ in 0..<ended { lifetimes(kind, name).observe(lived) }
    }

    func action(_ kind: String, _ component: String, _ action: String, _ outcomes: [String: UInt64], seconds: Double) {
        for (outcome, count) in outcomes {
            calls[kind]?(component, action, outcome).increment(by: count)
            for _ in 0..<count { durations[kind]?(component, action).observe(seconds) }
        }
    }

    func error(_ component: String, _ code: String, _ severity: String = "non_critical", count: UInt64) {
        errors(component, code, severity).increment(by: count)
    }

    func build(_ revision: String) throws {
        try registry.info(
            "axiom_build_info",
            help: "Build.",
            ["version": "0.1.0", "swift": "6.3", "revision": revision, "instrumented": "true"]
        )
    }
}
