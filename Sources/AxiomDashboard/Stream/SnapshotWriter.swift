// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import Foundation

/// What stands beside the lists of a snapshot and changes seldom, by name.
struct Headers: Sendable {
    let name: String
    let startedAt: Double
    let readings: Readings?
    let droppedEvents: Int
    let features: DashboardFeatures

    var json: [String: [UInt8]] {
        [
            "app": app, "bounds": bounds, "baseline": baseline, "dropped": dropped, "promql": PanelQueries.json,
            "panels": PanelQueries.signalPanels,
        ]
    }

    private var app: [UInt8] {
        var json = JSONText()
        json.raw("{\"name\":" as StaticString)
        Value.words(name).write(to: &json)
        json.raw(",\"about\":" as StaticString)
        let build = readings.map { "\($0.build), " } ?? ""
        Value.words(build + "pid \(ProcessIdentity.pid)", limit: 300).write(to: &json)
        json.raw(",\"startedAt\":" as StaticString)
        json.number(startedAt)
        if features.contains(.inspectsState) { json.raw(",\"inspects\":true" as StaticString) }
        if features.contains(.allowsActions) { json.raw(",\"allows\":true" as StaticString) }
        if features.contains(.recordsPayloads) { json.raw(",\"records\":true" as StaticString) }
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var bounds: [UInt8] {
        var json = JSONText()
        json.raw("{\"latency\":" as StaticString)
        json.list(readings == nil ? [] : ActionReadings.bounds) { $0.number($1) }
        json.raw(",\"lifetime\":" as StaticString)
        json.list(readings == nil ? [] : Readings.lifetimeBounds) { $0.number($1) }
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var baseline: [UInt8] {
        guard let identity = readings?.baseline else { return Array("{\"loaded\":false}".utf8) }
        let recordedAt = try? Date(identity.recordedAt, strategy: .iso8601)
        var json = JSONText()
        json.raw("{\"loaded\":true,\"name\":" as StaticString)
        Value.words(identity.name).write(to: &json)
        json.raw(",\"recordedAt\":" as StaticString)
        json.number(recordedAt?.timeIntervalSince1970)
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var dropped: [UInt8] {
        var json = JSONText()
        json.raw("{\"instances\":" as StaticString)
        json.integer(readings?.instances.dropped ?? 0)
        json.raw(",\"events\":" as StaticString)
        json.integer(droppedEvents)
        json.raw(",\"errors\":" as StaticString)
        json.integer(readings?.errors.others.groups ?? 0)
        json.raw("}" as StaticString)
        return json.bytes
    }
}

/// Writes everything that is known, as it was at the latest sample.
struct SnapshotWriter {
    /// Differs between any two runs.
    let instance: String
    let history: History
    let headers: [String: [UInt8]]
    let lists: [EncodedList]
    /// The lists that version 2 has beside those of version 1; nil for version 1.
    let more: [UInt8]?

    var json: [UInt8] {
        var json = JSONText(capacity: 1 << 18)
        json.raw("{\"schema\":\"axiom/snapshot\",\"version\":" as StaticString)
        json.integer(more == nil ? 1 : 2)
        json.raw(",\"seq\":" as StaticString)
        json.integer(history.seq)
        json.raw(",\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"capturedAt\":" as StaticString)
        json.number(history.at)
        json.raw(",\"window\":60,\"tick\":1" as StaticString)
        for (name, header) in headers.sorted(by: { $0.key < $1.key }) {
            json.comma()
            json.key(name)
            json.raw(header)
        }
        for list in lists {
            json.comma()
            json.key(list.kind.name)
            json.list(list.rows) { json, row in list.write(row, to: &json) }
        }
        if let more { json.raw(more) }
        json.raw(",\"history\":{\"fine\":" as StaticString)
        history.fine.write(to: &json, now: history.at)
        json.raw(",\"coarse\":" as StaticString)
        history.coarse.write(to: &json, now: history.at)
        json.raw("}}" as StaticString)
        return json.bytes
    }
}

/// What the page is sent about panels: the query that shows in Prometheus what a panel shows, and the panels of signals.
enum PanelQueries {
    /// By the id of the panel; `$component` stands for the quoted name of the chosen component.
    static let queries = [
        "vitals": "sum(rate(axiom_client_actions_total[1m])) + sum(rate(axiom_context_actions_total[1m]))",
        "components": "sum by (kind, component) (axiom_component_live)",
        "detail":
            "histogram_quantile(0.99, sum by (le, action) (rate(axiom_client_action_duration_seconds_bucket{client=$component}[5m])))",
        "state": "rate(axiom_state_updates_total{client=$component}[1m])",
        "latency":
            "histogram_quantile(0.99, sum by (le, client) (rate(axiom_client_action_duration_seconds_bucket[5m])))",
        "lifetimes": "axiom_component_leak_suspects > 0",
        "errors": "sum by (component, code, severity) (increase(axiom_errors_total[5m]))",
        "budgets":
            "1 - sum by (budget) (rate(axiom_budget_violations_total[5m])) / sum by (budget) (rate(axiom_budget_checks_total[5m]))",
        "circuits": "axiom_circuit_state{state!=\"closed\"} == 1",
        "regressions": "axiom_regression_ratio and axiom_regression_active == 1",
        "hangs": "histogram_quantile(0.99, rate(axiom_main_actor_delay_seconds_bucket[5m]))",
        "graph": "axiom_component_dependency",
        "runtime": "process_resident_memory_bytes",
        "telemetry": "sum by (reason) (increase(axiom_telemetry_dropped_total[5m]))",
        "events": "sum by (breaker, from, to) (increase(axiom_circuit_transitions_total[5m]))",
    ]

    /// The panels of signals, from `Dashboards/web/signals.json`.
    static let signalPanels = Array(PageSource.signalPanels.utf8)

    static let json: [UInt8] = {
        var json = JSONText()
        json.raw("{" as StaticString)
        for (index, query) in queries.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { json.comma() }
            json.key(query.key)
            json.string(query.value)
        }
        json.raw("}" as StaticString)
        return json.bytes
    }()
}
