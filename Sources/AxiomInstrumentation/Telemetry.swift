// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomMetrics
public import AxiomResilience
internal import Synchronization

/// The observer of the instrumented build: records everything that an orchestrator reports as metrics in a registry.
///
/// ```swift
/// let telemetry = try Telemetry()
/// let orchestrator = Orchestrator(instrumentation: telemetry)
/// ```
/// There is no global telemetry: each orchestrator has its own, and each telemetry has its own registry. A second
/// orchestrator with the same telemetry throws an error at its start while the first one runs. After the shutdown of
/// the first one, it is accepted: counters continue to grow, regressions are still judged, and components that outlived
/// the first orchestrator remain leak suspects.
///
/// Recording an action takes no lock and allocates nothing after the first: handles are bound when a context type is
/// registered or first resolves a client. Recording the creation or destruction of a component takes one uncontended lock.
public final class Telemetry: Instrumentation {
    /// The registry of the metrics, for encoders and for an application's own metrics.
    public let registry: Registry
    /// The errors that have ended, in groups.
    public let errors: ErrorMonitor
    /// Compares the durations of actions with a baseline, if there is one.
    public let regressions: RegressionMonitor
    /// The costs that operations may have, and the operations that exceeded them.
    public let budgets: BudgetMonitor
    /// Times other work of the application for budgets of its own.
    public let performance: PerformanceMonitor

    let clock: TimeSource
    let revision: String
    let recording: Recording
    let judging: Judging
    let watching: Watching
    let errorDelivery: DeliveryQueue<EndedError>?
    let errorLog: ErrorLog
    /// The recorded data as typed values, for the dashboard and for reports.
    package let readings: Readings
    /// The number of the observed orchestrator; 0 for none. Relaxed: it orders nothing else.
    let observed = Atomic<UInt64>(0)

    /// Registers Axiom's metrics.
    ///
    /// - Parameters:
    ///   - registry: Receives the metrics. It must not hold metrics of another telemetry; it is read once to check
    ///     this.
    ///   - revision: The revision of the application, for `axiom_build_info`.
    ///   - leakThreshold: How long a context may live after its presentation was unmounted. If it lives longer, it is a
    ///     leak suspect. 0 s or more.
    ///   - errorGroupLimit: The maximum number of groups in ``errors``; 1 or more.
    ///   - errorSink: Also receives the critical errors.
    ///   - logsErrors: Whether an error that ends is a line on standard error, with its code, path and message: at most one in
    ///     60 s for each group that ``errors`` keeps. A `LoggingInstrumentation` with this telemetry takes its place. The end of
    ///     the orchestrator waits for the lines, 0.1 s at most; a process that exits without it may lose the last ones.
    ///   - breakers: The circuit breakers of clients and contexts. See ``BreakerRule`` for components without a rule.
    ///   - regressions: Whether durations are recorded, and judged against a baseline. By default neither.
    ///   - budgets: Rules that confirm, change or remove budgets of the specification, or add budgets. A budget without
    ///     a rule is measured, but its violations are not passed to `onBudgetViolation`.
    ///   - onBudgetViolation: Called for violations of confirmed budgets, at most once in 60 s for each budget and
    ///     component. It does not run on the path of the action. Calls do not overlap and may
    ///     block: up to 100 violations wait; more are dropped and counted in `axiom_telemetry_dropped_total`. By
    ///     default it writes one line to standard error.
    ///   - detail: How much of the recorded data is on the page of metrics.
    ///   - flightRecorder: How much memory is used for single operations and their traces.
    ///   - clock: The same clock as the orchestrator's.
    /// - Throws: ``TelemetryError`` if the registry already has a telemetry, a number is out of range, or options
    ///   contradict each other; `MetricsError` if the registry holds another metric under one of Axiom's names.
    public init(
        registry: Registry = Registry(),
        revision: String = "unknown",
        leakThreshold: Duration = .seconds(30),
        errorGroupLimit: Int = 200,
        errorSink: (any ErrorSink)? = nil,
        logsErrors: Bool = true,
        breakers: [BreakerRule] = [],
        regressions: RegressionOptions? = nil,
        budgets rules: [BudgetRule] = [],
        onBudgetViolation: @escaping @Sendable (BudgetViolation) -> Void = { $0.log() },
        detail: DetailLevel = .lean,
        flightRecorder: FlightRecorderOptions = FlightRecorderOptions(),
        clock: TimeSource = .live
    ) throws {
        guard leakThreshold >= .zero else { throw TelemetryError.negativeLeakThreshold(leakThreshold) }
        guard errorGroupLimit > 0 else { throw TelemetryError.noErrorGroups(errorGroupLimit) }
        let recorder = try flightRecorder.recorder(clock)
        // Families of one definition are shared by design, so without this check a second telemetry would go unnoticed:
        // its counts would be added to the first one's, and its components would be missing.
        guard registry.collect().family(BuildInfo.name) == nil else { throw TelemetryError.registryTaken }
        let circuits = try CircuitCollector(breakers, clock: clock, detail: detail)
        let table = try BudgetTable(rules)
        self.registry = registry
        self.clock = clock
        self.revision = revision
        let profiler = ProfilerSlot()
        self.regressions = try RegressionMonitor(regressions, clock: clock, profiler: profiler)
        let census = try ComponentCensus(registry, leakThreshold: leakThreshold, clock: clock, detail: detail)
        let drops = try DropCounters(registry)
        let violations = DeliveryQueue<BudgetViolation>(to: onBudgetViolation, full: drops[.budgetViolationsFull])
        budgets = try BudgetMonitor(registry, table, clock: clock, census: census, log: violations, detail: detail)
        performance = PerformanceMonitor(budgets, clock: clock)
        judging = Judging(
            budgets: budgets,
            violations: violations,
            regressions: self.regressions,
            circuits: circuits
        )
        watching = try Watching(registry, recorder, circuits, profiler, clock: clock, detail: detail)
        let instruments = ActionInstruments(
            windows: self.regressions.windows,
            budgets: budgets,
            slow: SlowActionsRegistry(clock: clock),
            exemplars: recorder.map { SpanExemplars($0, clock: clock) },
            detail: detail
        )
        errors = ErrorMonitor(capacity: errorGroupLimit, clock: clock, recorder: recorder)
        recording = try Recording(
            instruments,
            in: registry,
            census: census,
            drops: drops,
            errors: errors,
            recorder: recorder
        )
        errorLog = ErrorLog(isOn: logsErrors, full: drops[.errorLogFull])
        errorDelivery = errorSink.map {
            DeliveryQueue<EndedError>(to: $0, full: drops[.errorSinkFull], failed: drops[.errorSinkFailed])
        }
        readings = Readings(revision: revision, recording: recording, judging: judging, watching: watching)
        try BuildInfo(revision: revision).register(in: registry)
        if let exemplars = instruments.exemplars { registry.register(exemplars: exemplars) }
        registerCollectors()
    }

    private func registerCollectors() {
        for budget in budgets.budgets where budget.rows.isEmpty {
            _ = budgets.meter(budget.id, PerformanceMonitor.component)
        }
        let collectors: [any Collector] = [
            recording.census, BudgetCollector(monitor: budgets), judging.circuits, judging.strategies,
            RegressionCollector(monitor: regressions), ProcessCollector(),
        ]
        for collector in collectors { registry.register(collector) }
        if let spans = recording.spans { registry.register(SpanCollector(spans.recorder)) }
        registry.showOwnMetrics()
    }

    // MARK: - For the application

    /// All circuit breakers: those of all client types and of the context types with a rule, and the watched ones.
    public var breakers: [CircuitBreaker] { judging.circuits.all }

    /// Adds a strategy of the application to the page: a breaker, a retry, a timeout, a bulkhead or a fallback, or all
    /// strategies of a policy. A custom strategy type has no metrics, so watching it has no effect. The label `policy`
    /// is the strategy's name.
    ///
    /// A watched breaker guards only calls that the application runs through it, and no component. If a component of
    /// the same name is registered later, the watched breaker keeps the name. The component's breaker is named
    /// `name#2`, and ``errors`` reports this.
    ///
    /// - Throws: ``TelemetryError`` if another watched strategy of the same kind or a component's breaker has that
    ///   name.
    public func watch(_ strategy: any ResilienceStrategy) throws {
        switch strategy {
        case let policy as Policy: for inner in policy.strategies { try watch(inner) }
        case let breaker as CircuitBreaker: try judging.circuits.watch(breaker)
        default: try judging.strategies.watch(strategy)
        }
    }

    /// The clock that all instants refer to.
    package var timeSource: TimeSource { clock }
}
