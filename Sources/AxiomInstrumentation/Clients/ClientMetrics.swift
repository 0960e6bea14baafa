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
    /// One for each client and type of its actions; guarded by its lock, which is taken when a client is wrapped and at a scrape.
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

    /// The recorder of a client, the same each time: a client whose start is tried again is wrapped again, and another
    /// orchestrator may have one of its name.
    func recorder<A: Action>(for client: ComponentDescriptor, actions: A.Type) -> ClientRecorder {
        let type = ObjectIdentifier(actions)
        return recorders.withLock { recorders in
            if let known = recorders.first(where: { $0.client == client && $0.actionType == type }) { return known }
            let budget = budgets.actions(.clientAction, client.name, actions.caseNames)
            let actions = ActionRecorder(
                client,
                actions: actions,
                families,
                windows: windows,
                budget: budget,
                slow: slow.actions(of: client)
            )
            let recorder = ClientRecorder(client, type, actions: actions, wait: budgets.meter(.actorWait, client.name))
            recorders.append(recorder)
            return recorder
        }
    }

    /// How many actions each client processes at this moment, by the client's name and by that of the action: those that
    /// are not processed are left out.
    var inFlight: [String: [String: UInt64]] {
        let all = recorders.withLock { $0 }
        return Dictionary(all.map { ($0.client.name, $0.inFlightByAction) }) { $0.merging($1, uniquingKeysWith: &+) }
    }

    /// How often contexts called clients.
    var traffic: [ComponentDependency: CallCounts] {
        var traffic: [ComponentDependency: CallCounts] = [:]
        for recorder in recorders.withLock({ $0 }) {
            for caller in recorder.traffic {
                guard let from = caller.caller else { continue }
                let edge = ComponentDependency(from: from, to: recorder.client)
                let (known, counts) = (traffic[edge], caller.counts)
                traffic[edge] = CallCounts(
                    calls: counts.calls &+ (known?.calls ?? 0),
                    failures: counts.failures &+ (known?.failures ?? 0)
                )
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
        var (names, sums) = ([String](), [String: UInt64]())
        for recorder in recorders.withLock({ $0 }) {
            let name = recorder.client.name
            if sums[name] == nil { names.append(name) }
            sums[name, default: 0] &+= recorder.inFlight
        }
        for name in names { inFlight.add(Double(sums[name, default: 0]), name) }
        return inFlight.isEmpty ? [] : [inFlight]
    }
}
