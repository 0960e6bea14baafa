// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The families of clients' actions.
struct ClientMetrics: Sendable {
    private let families: ActionRecorder.Families
    private let inFlight: Family<Gauge, String>

    init(_ registry: Registry) throws(MetricsError) {
        families = ActionRecorder.Families(
            actions: try registry.counters(
                "axiom_client_actions_total",
                help: "Actions that clients processed, by outcome.",
                labels: Label<String>("client"),
                Label<String>("action"),
                Label<ActionOutcome>("outcome")
            ),
            durations: try registry.histograms(
                "axiom_client_action_duration_seconds",
                help: "Time from the call of a client's process to its end, whatever the outcome.",
                labels: Label<String>("client"),
                Label<String>("action"),
                buckets: .axiomLatency
            )
        )
        inFlight = try registry.gauges(
            "axiom_client_actions_in_flight",
            help: "Actions that clients process at this moment.",
            labels: Label<String>("client")
        )
    }

    func recorder<A: Action>(for client: ComponentDescriptor, actions: A.Type) -> ClientRecorder {
        ClientRecorder(
            actions: ActionRecorder(client.name, actions: actions, families),
            inFlight: inFlight(client.name)
        )
    }
}

/// The handles of one client.
struct ClientRecorder: Sendable {
    private let actions: ActionRecorder
    private let inFlight: Gauge

    init(actions: ActionRecorder, inFlight: Gauge) {
        self.actions = actions
        self.inFlight = inFlight
    }

    func began() {
        inFlight.increment()
    }

    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        inFlight.decrement()
        actions.record(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }
}
