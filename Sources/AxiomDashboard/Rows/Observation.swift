// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// What was read of an application at one moment, as values: all that rows, events and problems are made of beside the
/// history. An application without telemetry has facts alone.
struct Observation: Sendable {
    /// The counts of component types.
    var census: [CensusRow] = []
    /// The buckets of the lifetimes of instances.
    var lifetimes: [ComponentDescriptor: [UInt64]] = [:]
    /// The living instances, by number, and some that have ended.
    var living: [UInt64: InstanceLog.Entry] = [:]
    var ended: [InstanceLog.Entry] = []
    /// The instances that are suspected of a leak.
    var leaked: Set<UInt64> = []
    /// How many actions each client processes, by the names of the client and of the action.
    var inFlight: [String: [String: UInt64]] = [:]
    var slowest: [SlowAction] = []
    /// How long an action of a client or context may take, in seconds.
    var actionLimits: [ComponentDescriptor: Double] = [:]
    var graph = GraphFindings()
    /// How often contexts called clients.
    var traffic: [ComponentDependency: CallCounts] = [:]
    var breakers: [BreakerReading] = []
    /// The latest transitions of each breaker, by its name, and how many transitions there were.
    var transitions: [String: [CircuitTransition]] = [:]
    var transitionCount: UInt64 = 0
    var errors: ErrorMonitor.Report?
    var verdicts: [VerdictReading] = []
    var budgets: BudgetReport?
    /// The worst verdict on each component's operations.
    var budgetStatus: [String: String] = [:]
    var policies: [FactRow.Fact] = []
    var runtime: [FactRow.Fact] = []
    var telemetry: [FactRow.Fact] = []
}

extension Observation {
    /// - Parameters:
    ///   - breakers: Read before, because that runs code of the application: see ``Dashboard``.
    ///   - budgets: Read before, because that is expensive.
    ///   - graph: The findings of an earlier observation.
    init(_ readings: Readings?, _ breakers: [BreakerReading], _ budgets: BudgetReport?, _ graph: GraphFindings) {
        guard let readings else { return }
        // The count is read first: what comes in between is found again next time.
        transitionCount = readings.transitions.count
        transitions = readings.transitions.transitions
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
        policies = FactRow.facts(of: readings.strategies)
    }

    /// Adds what the process and the registry say of themselves.
    mutating func addFacts(_ registry: Registry, _ readings: Readings?, _ cost: OwnCost) {
        runtime = FactRow.runtimeFacts
        telemetry = FactRow.telemetryFacts(registry, readings, cost)
    }
}
