// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The families of clients' actions.
final class ClientMetrics: Collector {
    private let families: ActionRecorder.Families
    private let windows: WindowRecorder?
    private let budgets: BudgetMonitor
    private let slow: SlowBoard
    /// One for each client; guarded by its lock, which is taken when a client is wrapped and at a scrape.
    private let recorders = Lock<[ClientRecorder]>([])

    init(_ registry: Registry, windows: WindowRecorder?, budgets: BudgetMonitor, slow: SlowBoard) throws {
        self.windows = windows
        self.slow = slow
        self.budgets = budgets
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
                help: "Time from the call of a client's process to its end; of actions that were not rejected.",
                labels: Label<String>("client"),
                Label<String>("action"),
                buckets: .axiomLatency
            )
        )
        registry.register(self)
    }

    /// The recorder of a client, the same each time: a client whose start is tried again is wrapped again.
    func recorder<A: Action>(for client: ComponentDescriptor, actions: A.Type) -> ClientRecorder {
        recorders.withLock { recorders in
            if let known = recorders.first(where: { $0.client == client }) { return known }
            let budget = budgets.actions(.clientAction, client.name, actions.caseNames)
            let actions = ActionRecorder(
                client,
                actions: actions,
                families,
                windows: windows,
                budget: budget,
                slow: slow.actions(of: client)
            )
            let recorder = ClientRecorder(client, actions: actions, wait: budgets.meter(.actorWait, client.name))
            recorders.append(recorder)
            return recorder
        }
    }

    /// How many actions each client processes at this moment, by the client's name and by that of the action: those that
    /// are not processed are left out.
    var inFlight: [String: [String: UInt64]] {
        let all = recorders.withLock { $0 }
        return Dictionary(all.map { ($0.client.name, $0.inFlightByAction) }) { first, _ in first }
    }

    /// How often contexts called clients.
    var traffic: [ComponentDependency: CallCounts] {
        var traffic: [ComponentDependency: CallCounts] = [:]
        for recorder in recorders.withLock({ $0 }) {
            for caller in recorder.traffic {
                guard let from = caller.caller else { continue }
                traffic[ComponentDependency(from: from, to: recorder.client)] = caller.counts
            }
        }
        return traffic
    }

    func collect() -> [CollectedFamily] {
        var inFlight = CollectedFamily.gauge(
            "axiom_client_actions_in_flight",
            help: "Actions that clients process at this moment.",
            labels: "client"
        )
        for recorder in recorders.withLock({ $0 }) { inFlight.add(Double(recorder.inFlight), recorder.client.name) }
        return inFlight.isEmpty ? [] : [inFlight]
    }
}
