// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import AxiomMetrics
package import AxiomResilience

/// The data of a telemetry as typed values, for the dashboard, reports and profilers. The metrics come from the same
/// recorders.
///
/// Each property reads the recorders when it is accessed. Two properties are read at different times, so an event in
/// between may appear in only one of them.
package struct Readings: Sendable {
    let revision: String
    let recording: Recording
    let judging: Judging
    let watching: Watching

    package var errorMonitor: ErrorMonitor { recording.errors }
    /// The latest records of the application's log.
    package var logRecords: LogRecordBuffer { recording.logRecords }
    /// Measures the main actor while it is started.
    package var mainActor: MainActorWatch { watching.mainActor }
    /// The states of clients.
    package var inspector: StateInspector { watching.inspector }
    /// Inspects the orchestrator.
    package var inspections: InspectionSource { watching.inspections }
    /// What developers did in the dashboard.
    package var developerActions: ActionControl { watching.developerActions }
    /// Nil if no spans are recorded.
    private var recorder: FlightRecorder? { recording.spans?.recorder }

    /// The kept traces that contain these actions; see ``FlightRecorder/keptTraces(of:)``.
    package func keptTraces(of actions: Set<MeasuredAction>) -> [MeasuredAction: TraceID] {
        recorder?.keptTraces(of: actions) ?? [:]
    }

    /// The actions that were recorded until now.
    package var recordedScenario: RecordedScenario { watching.scenario.recorded }

    /// The running build, as text for people. A debug build is named: its times are not those of Axiom.
    package var build: String {
        let kind = BuildInfo.configuration == "debug" ? "debug build, " : ""
        return "\(revision), \(kind)Axiom \(BuildInfo.version), Swift \(BuildInfo.swift)"
    }

    /// Whether the build records anything: false without the package trait `Instrumented`.
    package var isInstrumented: Bool { BuildInfo.isInstrumented }

    // MARK: - Components

    /// The counts of all component types, in the order of their registration.
    package var components: [CensusRow] { recording.census.rows }

    /// The lifetimes of ended components of each type, in seconds.
    package var lifetimes: [ComponentDescriptor: ExponentialHistogramData] { recording.census.endedLifetimes }

    /// At most `limit` instances that should have ended long ago.
    package func leakSuspects(_ limit: Int) -> [(id: UInt64, component: ComponentDescriptor)] {
        recording.census.suspects(limit)
    }

    /// The lifetimes of single component instances.
    package var instances: InstanceLog.Report { recording.instanceLog.report }

    /// The dependencies between component types, in the order of their first resolution. Edges are only ever added.
    package var edges: [ComponentDependency] { recording.dependencies.edges }

    /// How often contexts and handlers called clients, and how often clients and capabilities called capabilities.
    package var traffic: [ComponentDependency: CallCounts] {
        recording.clients.traffic.merging(recording.capabilities.traffic) { client, _ in client }
    }

    // MARK: - Actions and states

    /// The totals of all actions.
    package var actions: ActionReadings { recording.slow.table.readings }

    /// How many actions each client is processing now, by client name and action name, and the same of request handlers
    /// and of the calls of capabilities. Zeros are omitted.
    package var actionsInFlight: [String: [String: UInt64]] {
        recording.clients.inFlight
            .merging(recording.requests.inFlight) { client, _ in client }
            .merging(recording.capabilities.inFlight) { client, _ in client }
    }

    /// The slowest actions of the last minutes, some of each client and context. Read this about every ten seconds:
    /// reading also starts the next minute.
    package var slowestActions: [SlowAction] { recording.slow.slowest }

    /// How many states clients have published.
    package var stateUpdates: UInt64 { recording.states.updateTotal }

    // MARK: - Errors, budgets, circuits

    /// The errors that ended, in groups.
    package var errors: ErrorMonitor.Report { recording.errors.report }

    /// How many errors have ended.
    package var errorTotal: UInt64 { recording.errors.total }

    /// The status of all budgets. Cost: reads all budget histograms, about 10 µs each.
    package var budgets: BudgetReport { judging.budgets.report }

    /// How long calls of each client waited for its actor, by the name of the client, in seconds.
    package var actorWaits: [String: ExponentialHistogramData] { judging.budgets.distributions(.actorWait) }

    /// The bytes of the states of each client at the last measurement, by its name.
    package var stateSizes: [String: Double] { judging.budgets.footprints.sizes }

    /// How many operations exceeded their budgets.
    package var violationTotal: UInt64 { judging.budgets.violationTotal }

    /// The time limit of this component's actions, in seconds. A single action may have its own limit.
    package func actionLimit(_ component: ComponentDescriptor) -> Double? { judging.budgets.actionLimit(component) }

    /// The latest verdicts; empty if nothing is judged.
    package var verdicts: [VerdictReading] {
        judging.regressions.latestVerdicts.map { verdict in
            VerdictReading(
                verdict: verdict,
                percentiles: judging.regressions.percentiles,
                baseline: judging.regressions.baselineSeconds(component: verdict.component, action: verdict.action)
            )
        }
    }

    /// The name of the baseline and the time of its recording, in ISO 8601; nil if nothing is judged.
    package var baseline: (name: String, recordedAt: String)? { judging.regressions.baselineIdentity }

    /// All circuit breakers, each read by its own clock. Reading a breaker advances its time and describes its last
    /// error. Both run application code, so do not hold a lock.
    package var breakers: [BreakerReading] {
        let owners = judging.circuits.owners
        return judging.circuits.all.map { BreakerReading($0, owner: owners[$0.name]) }
    }

    /// The latest transitions of the circuit breakers.
    package var transitions: TransitionLog { judging.circuits.transitions }

    /// The watched retries, timeouts, bulkheads and fallbacks.
    package var strategies: [any ResilienceStrategy] { judging.strategies.all }

    /// The dropped items of each reason, in the order of the reasons' names.
    package var dropped: [(reason: String, count: UInt64)] { recording.drops.counts }

    // MARK: - Traces

    /// All spans that are known; nil if none are recorded. Cost: some milliseconds.
    package var knownSpans: KnownSpans? { recorder.map { KnownSpans($0) } }

    /// The time budget of a span: its name, and its limit in seconds; nil if there is none.
    package func budget(of span: Span) -> (name: String, limit: Double)? {
        guard let component = span.component, let id = span.budget, let budget = judging.budgets.table.budget(id),
            budget.limit.unit == .time, judging.budgets.table.standing(id, component.name) != .removed
        else { return nil }
        let limit = judging.budgets.table.limit(budget, component.name, action: span.name)
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
    /// The signals of other modules: the families in the order of their first signal, of each at most `limit` in the
    /// order of their labels. Cost: about 1 µs for each signal.
    ///
    /// - Parameter hidden: The families that are left out, by name.
    package func signals(atMost limit: Int, except hidden: Set<String>) -> [SignalReading] {
        recording.signals.signals(atMost: limit, except: hidden)
    }

    /// The totals of a family of counters, by the values of a label; empty if there is no such family.
    package func totals(ofFamily name: String, by label: String) -> [String: UInt64] {
        let series = recording.signals.registry.collect(families: [name]).compactMap(\.self).joined()
        let pairs = series.compactMap { one in
            one.labels.pairs.first { $0.name == label }.map { ($0.value, UInt64(max(0, one.value))) }
        }
        return Dictionary(pairs, uniquingKeysWith: +)
    }

    /// The registered capabilities, in the order of their registration.
    package var capabilities: [(component: ComponentDescriptor, reading: CapabilityReading)] {
        watching.capabilitySources.read()
    }
}
