// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import OrderedCollections

/// The families of calls that begin and end: clients' actions, or requests to handlers.
final class CallMetrics: Collector {
    private let actions: ActionRecorders
    private let names: CallNames
    /// Makes what records the waits of a component's calls; nil for nothing.
    private let wait: @Sendable (ComponentDescriptor) -> CallerRecorder.Wait?
    /// One recorder for each client and action type. Guarded by its lock, which is taken when a probe is bound and at a
    /// scrape.
    private let recorders = Lock<OrderedDictionary<ComponentDescriptor, [CalledRecorder]>>([:])

    private init(
        _ instruments: ActionInstruments,
        _ names: CallNames,
        in registry: Registry,
        budget: PerformanceBudget.ID?,
        wait: @escaping @Sendable (ComponentDescriptor) -> CallerRecorder.Wait?
    ) throws(MetricsError) {
        (self.names, self.wait) = (names, wait)
        let families = try ActionRecorder.Families(instruments, names, in: registry)
        actions = ActionRecorders(instruments, families, budget: budget)
        registry.register(self)
    }

    static func clients(_ instruments: ActionInstruments, in registry: Registry) throws(MetricsError) -> CallMetrics {
        let budgets = instruments.budgets
        return try CallMetrics(instruments, .clients, in: registry, budget: .clientAction) {
            client -> CallerRecorder.Wait? in
            guard let meter = budgets.meter(.actorWait, client.name) else { return nil }
            return { meter.record($0) }
        }
    }

    static func requests(_ instruments: ActionInstruments, in registry: Registry) throws(MetricsError) -> CallMetrics {
        let waits = try registry.family(
            instruments.detail.durations(),
            "axiom_request_wait_seconds",
            help: "Time that requests waited for a place.",
            labels: Label<String>("handler")
        )
        return try CallMetrics(instruments, .requests, in: registry, budget: nil) { handler -> CallerRecorder.Wait? in
            let histogram = waits(handler.name)
            return { histogram.observe(nanoseconds: $0) }
        }
    }

    /// The probe of the calls from `caller`, the same one each time: a client is bound again if its start is retried,
    /// and another orchestrator may have a client of the same name.
    func probe<A: Action>(
        for client: ComponentDescriptor,
        actions: A.Type,
        calledBy caller: ComponentDescriptor?
    ) -> CallerRecorder {
        recorder(for: client, actions: actions).calls(from: caller)
    }

    private func recorder<A: Action>(for client: ComponentDescriptor, actions type: A.Type) -> CalledRecorder {
        let actions = actions.recorder(for: client, actions: type)
        return recorders.withLock { recorders in
            if let known = recorders[client]?.first(where: { $0.actions === actions }) { return known }
            let recorder = CalledRecorder(client, actions: actions, wait: wait(client))
            recorders[client, default: []].append(recorder)
            return recorder
        }
    }

    private var all: [CalledRecorder] { recorders.withLock { $0.values.flatMap(\.self) } }

    /// How many calls of each component are under way, by component name and action name; zeros are omitted.
    var inFlight: [String: [String: UInt64]] {
        Dictionary(all.map { ($0.client.name, $0.inFlightByAction) }) { $0.merging($1, uniquingKeysWith: &+) }
    }

    /// How many calls of one component are under way.
    func inFlight(of client: ComponentDescriptor) -> UInt64 {
        recorders.withLock { $0[client, default: []] }.reduce(0) { $0 &+ $1.inFlight }
    }

    /// How often contexts and handlers called clients.
    var traffic: [ComponentDependency: CallCounts] {
        var traffic: [ComponentDependency: CallCounts] = [:]
        for recorder in all {
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
            names.inFlight,
            help: names.inFlightHelp,
            labels: names.component
        )
        for (client, recorders) in recorders.withLock({ $0 }) {
            inFlight.add(Double(recorders.reduce(0) { $0 &+ $1.inFlight }), client.name)
        }
        return inFlight.isEmpty ? [] : [inFlight]
    }
}

/// The instruments of one called component, for all its callers.
private final class CalledRecorder: Sendable {
    let client: ComponentDescriptor
    let actions: ActionRecorder
    private let wait: CallerRecorder.Wait?
    /// In the order of binding. Guarded by its lock, which is taken when a context type first resolves the client, and
    /// at a scrape.
    private let callers = Lock<OrderedDictionary<ComponentDescriptor?, CallerRecorder>>([:])

    init(_ client: ComponentDescriptor, actions: ActionRecorder, wait: CallerRecorder.Wait?) {
        self.client = client
        self.actions = actions
        self.wait = wait
    }

    /// The recorder of a caller, the same one each time.
    func calls(from caller: ComponentDescriptor?) -> CallerRecorder {
        callers.withLock { callers in
            if let known = callers[caller] { return known }
            let recorder = CallerRecorder(caller, actions: actions, wait: wait)
            callers[caller] = recorder
            return recorder
        }
    }

    /// The recorders of all callers.
    var traffic: [CallerRecorder] { callers.withLock { $0.values.elements } }

    /// How many actions have begun and not ended.
    var inFlight: UInt64 { traffic.reduce(0) { $0 &+ $1.inFlight.reduce(0, &+) } }

    /// How many actions of each case have begun and not ended; zeros are omitted.
    var inFlightByAction: [String: UInt64] {
        var sums: [String: UInt64] = [:]
        for caller in traffic {
            for (index, count) in caller.inFlight.enumerated() where count > 0 {
                sums[actions.name(at: index), default: 0] &+= count
            }
        }
        return sums
    }
}

/// What the recorders of all actions share. Not the registry, which would retain itself through its collectors.
struct ActionInstruments: Sendable {
    /// nil if durations are neither recorded nor judged in windows.
    var windows: WindowRecorder?
    let budgets: BudgetMonitor
    let slow: SlowActionsRegistry
    /// nil if no spans are recorded.
    let exemplars: SpanExemplars?
    let detail: DetailLevel
}

/// The recorders of the actions of one kind of component.
final class ActionRecorders: Sendable {
    /// Two successive orchestrators may have components of one name with different action types.
    private struct Key: Hashable {
        let component: ComponentDescriptor
        let actions: ObjectIdentifier
    }

    private let instruments: ActionInstruments
    private let families: ActionRecorder.Families
    private let budget: PerformanceBudget.ID?
    /// Guarded by its lock, which is taken when a component is bound.
    private let recorders = Lock<[Key: ActionRecorder]>([:])

    /// - Parameter budget: The budget of the actions; nil if they have none.
    init(_ instruments: ActionInstruments, _ families: ActionRecorder.Families, budget: PerformanceBudget.ID?) {
        self.instruments = instruments
        self.families = families
        self.budget = budget
    }

    /// The recorder of a component's actions, the same one each time.
    func recorder<A: Action>(for component: ComponentDescriptor, actions: A.Type) -> ActionRecorder {
        let key = Key(component: component, actions: ObjectIdentifier(actions))
        return recorders.withLock { recorders in
            if let known = recorders[key] { return known }
            let limits = budget.flatMap { instruments.budgets.actions($0, component.name, actions.caseNames) }
            let recorder = ActionRecorder(component, names: actions.caseNames, families, instruments, budget: limits)
            recorders[key] = recorder
            return recorder
        }
    }
}
