// SPDX-License-Identifier: Apache-2.0

/// The query that shows in Prometheus what a panel shows, by panel.
enum PromQL {
    /// By the id of the panel; `$component` stands for the quoted name of the chosen component.
    static let queries = [
        "vitals": "sum(rate(axiom_client_actions_total[1m])) + sum(rate(axiom_context_actions_total[1m]))",
        "components": "sum by (kind, component) (axiom_component_live)",
        "detail":
            "histogram_quantile(0.99, sum by (le, action) (rate(axiom_client_action_duration_seconds_bucket{client=$component}[5m])))",
        "latency":
            "histogram_quantile(0.99, sum by (le, client) (rate(axiom_client_action_duration_seconds_bucket[5m])))",
        "lifetimes": "axiom_component_leak_suspects > 0",
        "errors": "sum by (component, code, severity) (increase(axiom_errors_total[5m]))",
        "budgets":
            "1 - sum by (budget) (rate(axiom_budget_violations_total[5m])) / sum by (budget) (rate(axiom_budget_checks_total[5m]))",
        "circuits": "axiom_circuit_state{state!=\"closed\"} == 1",
        "regressions": "axiom_regression_ratio and axiom_regression_active == 1",
        "graph": "axiom_component_dependency",
        "runtime": "process_resident_memory_bytes",
        "telemetry": "sum by (reason) (increase(axiom_telemetry_dropped_total[5m]))",
        "events": "sum by (breaker, from, to) (increase(axiom_circuit_transitions_total[5m]))",
    ]

    static let json: [UInt8] = {
        var json = JSONText()
        json.raw("{" as StaticString)
        for (place, query) in queries.sorted(by: { $0.key < $1.key }).enumerated() {
            if place > 0 { json.comma() }
            json.key(query.key)
            json.string(query.value)
        }
        json.raw("}" as StaticString)
        return json.bytes
    }()
}
