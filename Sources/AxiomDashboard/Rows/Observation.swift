// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// What was read of an application at one moment, as values: all that rows, events and problems are made of beside the
/// history.
struct Observation: Sendable {
    /// The counts of component types.
    var census: [CensusRow] = []
    /// The lifetimes of ended instances, in seconds.
    var lifetimes: [ComponentDescriptor: ExponentialHistogramData] = [:]
    /// The living instances, by number, and some that have ended.
    var living: [UInt64: InstanceLog.Entry] = [:]
    var ended: [InstanceLog.Entry] = []
    /// The instances that are suspected of a leak.
    var leaked: Set<UInt64> = []
    /// How many actions each client processes, by the names of the client and of the action.
    var inFlight: [String: [String: UInt64]] = [:]
    var slowest: [SlowAction] = []
    /// The kept traces of the slowest actions and of the worst violations of budgets.
    var traces: [MeasuredAction: TraceID] = [:]
    /// How long an action of a client or context may take, in seconds.
    var actionLimits: [ComponentDescriptor: Double] = [:]
    var graph = GraphFindings()
    /// How many processors the process may use.
    var processors = 1
    /// How often contexts called clients.
    var traffic: [ComponentDependency: CallCounts] = [:]
    var breakers: [BreakerReading] = []
    /// The latest transitions of each breaker, by its name, and how many transitions there were.
    var transitions: [String: [CircuitTransition]] = [:]
    var transitionCount: UInt64 = 0
    /// What developers did in the dashboard.
    var actions: [ActionInForce] = []
    var actionUses: [ActionUse] = []
    var errors: ErrorMonitor.Report?
    var verdicts: [VerdictReading] = []
    var budgets: BudgetReport?
    /// The 99th percentile of the time that the actions of a client waited for its actor, in seconds, by its name.
    var waits: [String: Double] = [:]
    /// The worst verdict on each component's operations.
    var budgetStatus: [String: String] = [:]
    var policies: [FactRow.Fact] = []
    var runtime: [FactRow.Fact] = []
    var telemetry: [FactRow.Fact] = []
    /// What modules record.
    var signals: [SignalReading] = []
    var capabilities: [(component: ComponentDescriptor, reading: CapabilityReading)] = []
}

extension Observation {
    /// - Parameters:
    ///   - breakers: Read before, because that runs code of the application: see ``Dashboard``.
    ///   - budgets: Read before, because that is expensive.
    ///   - graph: The findings of an earlier observation.
    init(_ readings: Readings, _ breakers: [BreakerReading], _ budgets: BudgetReport?, _ graph: GraphFindings) {
        // The count is read first: what comes in between is found again next time.
        transitionCount = readings.transitions.count
        transitions = readings.transitions.transitions
        (actions, actionUses) = (readings.developerActions.present, readings.developerActions.uses)
        census = readings.components
        lifetimes = readings.lifetimes
        let instances = readings.instances
        (living, ended) = (instances.living, instances.ended)
        leaked = Set(readings.leakSuspects(200).map(\.id))
        inFlight = readings.actionsInFlight
        slowest = readings.slowestActions
        let limits = census.map { ($0.component, readings.actionLimit($0.component)) }
        actionLimits = Dictionary(limits) { first, _ in first }.compactMapValues(\.self)
        self.graph = graph.updated(readings.edges)
        traffic = readings.traffic
        self.breakers = breakers
        errors = readings.errors
        verdicts = readings.verdicts
        self.budgets = budgets
        budgetStatus = budgets?.statusByComponent ?? [:]
        let waiting = budgets?.row(.actorWait)?.components ?? []
        waits = Dictionary(waiting.map { ($0.name, $0.p99) }) { first, _ in first }.compactMapValues(\.self)
        policies = FactRow.facts(of: readings.strategies)
        capabilities = readings.capabilities
    }

    /// Finds the kept traces of what is slow.
    mutating func addTraces(_ readings: Readings) {
        let examples = (budgets?.rows ?? []).flatMap(\.components).flatMap { component in
            component.worst.compactMap { $0.measured(component.name) }
        }
        traces = readings.keptTraces(of: Set(slowest.map(\.measured) + examples))
    }

    /// The kept trace of the slowest call of an action.
    func slowestTrace(of component: String, _ action: String) -> TraceID? {
        let calls = slowest.filter { $0.component.name == component && $0.action == action }
        return calls.sorted { $0.nanoseconds > $1.nanoseconds }.lazy.compactMap { traces[$0.measured] }.first
    }

    /// Reads what modules record.
    mutating func addSignals(_ readings: Readings) {
        signals = readings.signals(atMost: SignalRow.familyLimit, except: SignalRow.hidden)
    }

    /// Adds what the process and the registry say of themselves.
    mutating func addFacts(_ registry: Registry, _ readings: Readings, _ cost: OwnCost) {
        runtime = FactRow.runtimeFacts
        telemetry = FactRow.telemetryFacts(registry, readings, cost)
    }
}

extension SlowAction {
    var measured: MeasuredAction {
        MeasuredAction(component: component.name, action: action, nanoseconds: nanoseconds)
    }
}

extension BudgetExample {
    /// Nil for what is no action.
    func measured(_ component: String) -> MeasuredAction? {
        action.map { MeasuredAction(component: component, action: $0, nanoseconds: value) }
    }
}
