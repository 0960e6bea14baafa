// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomMetrics
package import AxiomResilience

/// The data of a telemetry as typed values, for the dashboard, reports and profilers. The metrics come from the same
/// recorders.
///
/// Each property reads the recorders when it is accessed. Two properties are read at different times, so an event in
/// between may appear in only one of them.
package struct Readings: Sendable {
    let revision: String
    let budgetMonitor: BudgetMonitor
    let regressions: RegressionMonitor
    package let errorMonitor: ErrorMonitor
    let census: ComponentCensus
    let clients: ClientMetrics
    let states: StateMetrics
    let slow: SlowActionsRegistry
    let circuits: CircuitCollector
    let strategyCollector: StrategyCollector
    let instanceLog: InstanceLog
    let drops: DropCounters
    let dependencies: DependencyMetrics
    /// Nil if no spans are recorded.
    let recorder: FlightRecorder?
    /// The latest records of the application's log.
    package let logRecords: LogRecordBuffer
    /// Measures the main actor while it is started.
    package let mainActor: MainActorWatch
    /// The states of clients.
    package let inspector: StateInspector
    /// Inspects the orchestrator.
    package let inspections: InspectionSource
    /// What developers did in the dashboard.
    package let developerActions: ActionControl
    let scenario: ScenarioRecorder
    let signalMetrics: SignalMetrics
    let capabilitySources: CapabilitySources

    /// The kept traces that contain these actions; see ``FlightRecorder/keptTraces(of:)``.
    package func keptTraces(of actions: Set<MeasuredAction>) -> [MeasuredAction: TraceID] {
        recorder?.keptTraces(of: actions) ?? [:]
    }

    /// The actions that were recorded until now.
    package var recordedScenario: RecordedScenario { scenario.recorded }

    /// The running build, as text for people. A debug build is named: its times are not those of Axiom.
    package var build: String {
        let kind = BuildInfo.configuration == "debug" ? "debug build, " : ""
        return "\(revision), \(kind)Axiom \(BuildInfo.version), Swift \(BuildInfo.swift)"
    }

    /// Whether the build records anything: false without the package trait `Instrumented`.
    package var isInstrumented: Bool { BuildInfo.isInstrumented }
}

// MARK: - Components

extension Readings {
    /// The upper bounds of the buckets of lifetimes but for the last, in seconds.
    package static let lifetimeBounds = Buckets.axiomLifetime.upperBounds

    /// The counts of all component types, in the order of their registration.
    package var components: [CensusRow] { census.rows }

    /// The lifetimes of ended components: a count for each of ``lifetimeBounds``, and one for longer lifetimes.
    package var lifetimes: [ComponentDescriptor: [UInt64]] { census.lifetimeCounts }

    /// At most `limit` instances that should have ended long ago.
    package func leakSuspects(_ limit: Int) -> [(id: UInt64, component: ComponentDescriptor)] { census.suspects(limit) }

    /// The lifetimes of single component instances.
    package var instances: InstanceLog.Report { instanceLog.report }

    /// The dependencies between component types, in the order of their first resolution. Edges are only ever added.
    package var edges: [ComponentDependency] { dependencies.edges }

    /// How often contexts called clients. Calls along other edges are not counted.
    package var traffic: [ComponentDependency: CallCounts] { clients.traffic }
}

// MARK: - Actions and states

extension Readings {
    /// The totals of all actions.
    package var actions: ActionReadings { slow.table.read { slow.tails } }

    /// How many actions each client is processing now, by client name and action name. Zeros are omitted.
    package var actionsInFlight: [String: [String: UInt64]] { clients.inFlight }

    /// The slowest actions of the last minutes, some of each client and context. Read this about every ten seconds:
    /// reading also starts the next minute.
    package var slowestActions: [SlowAction] { slow.slowest }

    /// How many states clients have published.
    package var stateUpdates: UInt64 { states.updateTotal }
}

// MARK: - Errors, budgets, circuits

extension Readings {
    /// The errors that ended, in groups.
    package var errors: ErrorMonitor.Report { errorMonitor.report }

    /// How many errors have ended.
    package var errorTotal: UInt64 { errorMonitor.total }

    /// The status of all budgets. Cost: reads all budget histograms, about 10 µs each.
    package var budgets: BudgetReport { budgetMonitor.report }

    /// How many operations exceeded their budgets.
    package var violationTotal: UInt64 { budgetMonitor.violationTotal }

    /// The time limit of this component's actions, in seconds. A single action may have its own limit.
    package func actionLimit(_ component: ComponentDescriptor) -> Double? { budgetMonitor.actionLimit(component) }

    /// The latest verdicts; empty if nothing is judged.
    package var verdicts: [VerdictReading] {
        regressions.latestVerdicts.map { verdict in
            VerdictReading(
                verdict: verdict,
                percentiles: regressions.percentiles,
                baseline: regressions.baselineSeconds(component: verdict.component, action: verdict.action)
            )
        }
    }

    /// The name of the baseline and the time of its recording, in ISO 8601; nil if nothing is judged.
    package var baseline: (name: String, recordedAt: String)? { regressions.baselineIdentity }

    /// All circuit breakers, each read by its own clock. Reading a breaker advances its time and describes its last
    /// error. Both run application code, so do not hold a lock.
    package var breakers: [BreakerReading] {
        let owners = circuits.owners
        return circuits.all.map { BreakerReading($0, owner: owners[$0.name]) }
    }

    /// The latest transitions of the circuit breakers.
    package var transitions: TransitionLog { circuits.transitions }

    /// The watched retries, timeouts, bulkheads and fallbacks.
    package var strategies: [any ResilienceStrategy] { strategyCollector.all }

    /// The dropped items of each reason, in the order of the reasons' names.
    package var dropped: [(reason: String, count: UInt64)] { drops.counts }
}

// MARK: - Traces

extension Readings {
    /// All spans that are known; nil if none are recorded. Cost: some milliseconds.
    package var knownSpans: KnownSpans? { recorder.map { KnownSpans($0) } }

    /// The time budget of a span: its name, and its limit in seconds; nil if there is none.
    package func budget(of span: Span) -> (name: String, limit: Double)? {
        guard let component = span.component, let id = span.budget, let budget = budgetMonitor.table.budget(id),
            budget.limit.unit == .time, budgetMonitor.table.standing(id, component.name) != .removed
        else { return nil }
        let limit = budgetMonitor.table.limit(budget, component.name, action: span.name)
        return (id.rawValue, Double(limit) / 1e9)
    }
}

extension Span {
    /// The budget that limits operations of this kind.
    fileprivate var budget: PerformanceBudget.ID? {
        switch kind {
        case .contextAction: .contextAction
        case .clientAction: .clientAction
        case .lifecyclePhase: name == LifecyclePhase.create.rawValue ? .contextCreation : .lifecycle
        case .render: .rendering
        case .mainActorWait: .taskStartup
        default: nil
        }
    }
}

/// One circuit breaker at one moment.
package struct BreakerReading: Sendable {
    package let summary: CircuitSummary
    package let configuration: CircuitBreakerConfiguration
    /// The description of the last error that counted as a failure.
    package let lastError: String?
    /// The code of that error, or its type.
    package let lastErrorName: String?
    /// The component that the breaker guards; nil if the application watches the breaker.
    package let owner: ComponentDescriptor?

    init(_ breaker: CircuitBreaker, owner: ComponentDescriptor?) {
        summary = breaker.summary()
        configuration = breaker.configuration
        let error = breaker.lastError
        lastError = error.map { String(describing: $0) }
        lastErrorName = error.map(SpanError.init).map { $0.code ?? $0.type }
        self.owner = owner
    }
}

/// Whether an action has become slower than its baseline.
package struct VerdictReading: Sendable {
    package let verdict: RegressionVerdict
    /// The percentiles that are judged, as probabilities.
    package let percentiles: [Double]
    /// The durations of the action in the baseline, in the order of ``percentiles``, in seconds; nil if the baseline
    /// has none.
    package let baseline: [Double]?
}

// The signals of other modules, and capabilities.
extension Readings {
    /// The signals of other modules: the families in the order of their first signal, of each at most `limit` in the order
    /// of their labels. Cost: about 1 µs for each signal.
    ///
    /// - Parameter hidden: The families that are left out, by name.
    package func signals(atMost limit: Int, except hidden: Set<String>) -> [SignalReading] {
        signalMetrics.signals(atMost: limit, except: hidden)
    }

    /// The registered capabilities, in the order of their registration.
    package var capabilities: [(component: ComponentDescriptor, reading: CapabilityReading)] {
        capabilitySources.read()
    }
}
