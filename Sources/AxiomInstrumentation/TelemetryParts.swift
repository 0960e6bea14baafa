// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// What counts, times and keeps the events of an orchestrator.
struct Recording: Sendable {
    let census: ComponentCensus
    let instanceLog = InstanceLog()
    let dependencies: DependencyMetrics
    let clients: CallMetrics
    let requests: CallMetrics
    let contexts: ContextMetrics
    let capabilities: CapabilityMetrics
    let slow: SlowActionsRegistry
    let states: StateMetrics
    let signals: SignalMetrics
    let errorMetrics: ErrorMetrics
    let errors: ErrorMonitor
    let drops: DropCounters
    /// Records spans; nil if the options or the build turn it off.
    let spans: SpanProbes?
    /// The latest records of the application's log, if it has Axiom's log handler.
    let logRecords = LogRecordBuffer()

    init(
        _ instruments: ActionInstruments,
        in registry: Registry,
        census: ComponentCensus,
        drops: DropCounters,
        errors: ErrorMonitor,
        recorder: FlightRecorder?
    ) throws {
        let (budgets, detail) = (instruments.budgets, instruments.detail)
        self.census = census
        self.drops = drops
        self.errors = errors
        slow = instruments.slow
        spans = recorder.map { SpanProbes($0, budgets) }
        clients = try .clients(instruments, in: registry)
        requests = try .requests(instruments, in: registry)
        contexts = try ContextMetrics(instruments, in: registry)
        capabilities = try CapabilityMetrics(instruments, in: registry)
        states = try StateMetrics(registry, drops: drops, budgets: budgets, detail: detail)
        signals = SignalMetrics(registry, budgets, spans, detail: detail)
        errorMetrics = try ErrorMetrics(registry, detail: detail)
        dependencies = try DependencyMetrics(registry)
    }
}

/// What compares with a limit or a baseline, and what refuses calls.
struct Judging: Sendable {
    let budgets: BudgetMonitor
    let violations: DeliveryQueue<BudgetViolation>
    let regressions: RegressionMonitor
    let circuits: CircuitCollector
    let strategies = StrategyCollector()
}

/// What works only while somebody looks: the dashboard, or a developer who records a scenario.
struct Watching: Sendable {
    /// Finds what holds the main actor, while a dashboard is served.
    let mainActor: MainActorWatch
    /// Keeps states while a dashboard inspects them.
    let inspector: StateInspector
    /// Keeps the actions of contexts while a scenario is recorded.
    let scenario: ScenarioRecorder
    /// Inspects the observed orchestrator.
    let inspections = InspectionSource()
    let capabilitySources = CapabilitySources()
    /// The profiler, while one runs.
    let profiler: ProfilerSlot
    /// Carries out what developers do in a dashboard that allows it.
    let developerActions: ActionControl

    init(
        _ registry: Registry,
        _ recorder: FlightRecorder?,
        _ circuits: CircuitCollector,
        _ profiler: ProfilerSlot,
        clock: TimeSource,
        detail: DetailLevel
    ) throws(MetricsError) {
        self.profiler = profiler
        mainActor = try MainActorWatch(registry, recorder, clock: clock, detail: detail)
        inspector = StateInspector(recorder, clock: clock)
        scenario = ScenarioRecorder(clock: clock)
        developerActions = ActionControl(circuits, clock: clock)
    }
}

/// Inspects the observed orchestrator, for tools that do not know it.
package final class InspectionSource: Sendable {
    /// The result of an inspection.
    package enum Answer: Sendable {
        case inspected(Inspection)
        /// No orchestrator was started, or it was released.
        case noOrchestrator
        /// The main actor was busy for longer than the limit.
        case busy
    }

    /// Replaced by each start. Called outside the lock.
    private let inspect = Lock<(@MainActor @Sendable () -> Inspection?)?>(nil)
    /// Real, also under a manual clock: a main actor that is busy stands still in real time.
    private let clock = TimeSource.live

    func set(_ inspect: @escaping @MainActor @Sendable () -> Inspection?) {
        self.inspect.withLock { $0 = inspect }
    }

    /// Inspects the orchestrator on the main actor, and waits for that actor no longer than `limit`.
    package func inspection(within limit: Duration = .seconds(5)) async -> Answer {
        guard let inspect = inspect.withLock({ $0 }) else { return .noOrchestrator }
        let answer = OneShot<Answer>()
        let work = Task { @MainActor in
            if Task.isCancelled { return }
            answer.settle(inspect().map(Answer.inspected) ?? .noOrchestrator)
        }
        let alarm = Alarm(after: limit, on: clock) { answer.settle(.busy) }
        let result = await answer.value
        alarm.cancel()
        work.cancel()
        return result
    }
}
