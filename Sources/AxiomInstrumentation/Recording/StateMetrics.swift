// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The families of clients' state.
struct StateMetrics: Sendable {
    private let updates: Family<Counter, String>
    private let coalesced: Family<Counter, String>
    private let propagation: Family<ExponentialHistogram, String>
    private let dropped: Counter
    private let budgets: BudgetMonitor

    init(_ registry: Registry, drops: DropCounters, budgets: BudgetMonitor, detail: DetailLevel) throws(MetricsError) {
        self.budgets = budgets
        updates = try registry.counters(
            "axiom_state_updates_total",
            help: "States that clients published; an update that changed nothing is none.",
            labels: Label<String>("client")
        )
        coalesced = try registry.counters(
            "axiom_state_coalesced_total",
            help: "States that a subscriber was not given because a later one took their place.",
            labels: Label<String>("client")
        )
        propagation = try registry.family(
            detail.durations(lean: [0.001, 0.01, 0.05]),
            "axiom_state_propagation_seconds",
            help: "Time from the publication of a state to its arrival at a subscriber.",
            labels: Label<String>("client")
        )
        dropped = drops[.subscriberStalled]
    }

    /// How many states all clients have published.
    var updateTotal: UInt64 { updates.total }

    func probe(for client: ComponentDescriptor) -> ClientStateProbe {
        let propagation = propagation(client.name)
        return ClientStateProbe(
            updates: updates(client.name),
            coalesced: coalesced(client.name),
            propagation: propagation,
            dropped: dropped,
            observation: budgets.check(.stateObservation, client.name, propagation),
            operations: OperationMeters(ComponentOperation.ofStores, client.name, budgets),
            memory: budgets.meter(.stateMemory, client.name),
            footprints: budgets.footprints
        )
    }
}

/// The instruments of one client's state.
struct ClientStateProbe: StateProbe {
    let updates: Counter
    let coalesced: Counter
    let propagation: ExponentialHistogram
    let dropped: Counter
    let observation: BudgetCheck?
    let operations: OperationMeters
    let memory: BudgetMeter?
    let footprints: StateFootprints

    func stateUpdated() {
        updates.increment()
    }

    func statesCoalesced(_ count: Int) {
        coalesced.increment(by: UInt64(max(0, count)))
    }

    func statePropagated(nanoseconds: Int64) {
        propagation.observe(nanoseconds: nanoseconds)
        observation?.check(nanoseconds)
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        operations.operationEnded(operation, nanoseconds: nanoseconds)
    }

    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) {
        if let memory { footprints.add(memory, state: state) }
    }

    func subscriberStalled(dropped count: Int) {
        dropped.increment(by: UInt64(max(0, count)))
    }
}
