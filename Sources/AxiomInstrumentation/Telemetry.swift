// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomMetrics
public import AxiomResilience
internal import Synchronization

/// The instrumented build's observer: everything that an orchestrator reports, as metrics in a registry.
///
/// ```swift
/// let telemetry = try Telemetry()
/// let orchestrator = Orchestrator(instrumentation: telemetry)
/// ```
/// There is no global: each orchestrator is given a telemetry of its own, and each telemetry a registry of its own. A
/// second orchestrator that is given the same one throws when it is started while the first one runs. After the shutdown
/// of the first one it is accepted: counters go on growing, regressions are judged on, and what outlived the first
/// orchestrator stays suspected of a leak.
///
/// What happens for each action is lock-free and allocates nothing: handles are bound when a client is wrapped or a
/// context type is registered. What happens for each component (creation, destruction) takes one uncontended lock.
public final class Telemetry: Instrumentation {
    /// Where the metrics are, for encoders and for an application's own metrics.
    public let registry: Registry
    /// Which errors ended, in groups.
    public let errors: ErrorMonitor
    /// Whether actions take longer than in a baseline, where one was given.
    public let regressions: RegressionMonitor
    /// What operations may cost, and which exceeded that.
    public let budgets: BudgetMonitor
    /// Times what the application does besides. A label that is the name of a budget is checked against it.
    public let performance: PerformanceMonitor

    let clock: TimeSource
    let revision: String
    private let census: ComponentCensus
    private let clients: ClientMetrics
    private let contexts: ContextMetrics
    private let states: StateMetrics
    private let slow: SlowBoard
    private let circuits: CircuitBoard
    private let strategies = StrategyBoard()
    private let errorMetrics: ErrorMetrics
    private let errorDelivery: ErrorDelivery?
    private let violations: ViolationDelivery
    /// What is known, as typed values, for the dashboard and for reports.
    package let readings: Readings
    private let dependencies: DependencyMetrics
    private let instanceLog = InstanceLog()
    /// The number of the orchestrator that reports here; 0 for none. Relaxed: it orders nothing else.
    private let observed = Atomic<UInt64>(0)

    /// Registers Axiom's metrics.
    ///
    /// - Parameters:
    ///   - registry: Where to register; it must not hold metrics of another telemetry. It is read once, to make sure.
    ///   - revision: The revision of the application, for `axiom_build_info`.
    ///   - leakThreshold: How long a context may live after its presentation was unmounted before it is suspected of
    ///     a leak; 0 s or more.
    ///   - errorGroupLimit: How many groups of errors ``errors`` keeps; 1 or more.
    ///   - errorSink: Where critical errors go besides.
    ///   - breakers: The circuit breakers of clients and contexts. See ``BreakerRule`` for those that have none.
    ///   - regressions: Whether durations are recorded, and judged against a baseline. Neither unless told.
    ///   - budgets: The budgets of the specification that are confirmed, changed or removed, and those that are added.
    ///     Without a rule they are measured and reported nowhere.
    ///   - onBudgetViolation: Called for violations of confirmed budgets, at most once in ``BudgetViolation/logWindow`` for
    ///     each budget and component. Runs off the path of the action, one call after the other, and may block: up to 100
    ///     violations wait, more are dropped and counted in `axiom_telemetry_dropped_total`. Writes one line to standard
    ///     error by default.
    ///   - clock: The clock that the orchestrator has as well.
    /// - Throws: ``TelemetryError`` when the registry has a telemetry already, a number is out of its range, or options
    ///   contradict themselves,
    ///   `MetricsError` when it holds another metric under one of Axiom's names.
    public init(
        registry: Registry = Registry(),
        revision: String = "unknown",
        leakThreshold: Duration = .seconds(30),
        errorGroupLimit: Int = 200,
        errorSink: (any ErrorSink)? = nil,
        breakers: [BreakerRule] = [],
        regressions: RegressionOptions? = nil,
        budgets rules: [BudgetRule] = [],
        onBudgetViolation: @escaping @Sendable (BudgetViolation) -> Void = { $0.log() },
        clock: TimeSource = .live
    ) throws {
        guard leakThreshold >= .zero else { throw TelemetryError.negativeLeakThreshold(leakThreshold) }
        guard errorGroupLimit > 0 else { throw TelemetryError.noErrorGroups(errorGroupLimit) }
        // Families of one definition are shared by design, so that a second telemetry would not be noticed otherwise:
        // its counts would be added to the first one's, and its components would be missing.
        guard registry.collect().family(BuildInfo.name) == nil else { throw TelemetryError.registryTaken }
        circuits = try CircuitBoard(breakers, clock: clock)
        let book = try BudgetBook(rules)
        self.registry = registry
        self.clock = clock
        self.revision = revision
        self.regressions = try RegressionMonitor(regressions, clock: clock)
        let census = try ComponentCensus(registry, leakThreshold: leakThreshold, clock: clock)
        self.census = census
        let drops = try DropCounters(registry)
        violations = ViolationDelivery(to: onBudgetViolation, full: drops[.budgetViolationsFull])
        let leaks = LeakWatch(census, clock: clock)
        budgets = try BudgetMonitor(registry, book, clock: clock, leaks: leaks, log: violations)
        performance = PerformanceMonitor(budgets, clock: clock)
        slow = SlowBoard(clock: clock)
        clients = try ClientMetrics(registry, windows: self.regressions.windows, budgets: budgets, slow: slow)
        contexts = try ContextMetrics(registry, windows: self.regressions.windows, budgets: budgets, slow: slow)
        states = try StateMetrics(registry, drops: drops, budgets: budgets)
        errorMetrics = try ErrorMetrics(registry)
        errors = ErrorMonitor(capacity: errorGroupLimit, clock: clock)
        errorDelivery = errorSink.map {
            ErrorDelivery(to: $0, full: drops[.errorSinkFull], failed: drops[.errorSinkFailed])
        }
        dependencies = try DependencyMetrics(registry)
        readings = Readings(
            revision: revision,
            budgetMonitor: budgets,
            regressions: self.regressions,
            errorMonitor: errors,
            census: census,
            clients: clients,
            states: states,
            slow: slow,
            circuits: circuits,
            strategyBoard: strategies,
            instanceLog: instanceLog,
            drops: drops,
            dependencies: dependencies
        )
        try BuildInfo(revision: revision).register(in: registry)
        registerCollectors()
    }

    private func registerCollectors() {
        for budget in budgets.budgets where budget.rows.isEmpty {
            _ = budgets.meter(budget.id, PerformanceMonitor.component)
        }
        let collectors: [any Collector] = [
            census, budgets, circuits, strategies, RegressionCollector(monitor: regressions), ProcessCollector(),
        ]
        for collector in collectors { registry.register(collector) }
        registry.showOwnMetrics()
    }
}

// MARK: - Instrumentation

extension Telemetry {
    /// Takes the orchestrator as the one that is observed, until it is shut down or released, and closes windows of
    /// durations again if an earlier orchestrator was shut down.
    ///
    /// - Throws: ``TelemetryError`` with the code `telemetryTaken` when that is another.
    public func begin(_ orchestrator: ComponentInstance) throws {
        let taken = observed.compareExchange(expected: 0, desired: orchestrator.id, ordering: .relaxed)
        guard taken.exchanged || taken.original == orchestrator.id else { throw TelemetryError.telemetryTaken }
        census.begin()
        regressions.begin()
    }

    /// Makes the series of the component type, all at 0.
    public func registered(_ component: ComponentDescriptor) {
        registered(component, module: "")
    }

    /// Makes the series of the component type, all at 0.
    public func registered(_ component: ComponentDescriptor, module: String) {
        census.registered(component, module: module)
        budgets.registered(component)
    }

    /// Counts the instance as living.
    public func created(_ instance: ComponentInstance) {
        census.created(instance)
        instanceLog.created(instance)
        guard instance.frameworkBytes > 0 else { return }
        switch instance.component.kind {
        case .client: budgets.meter(.clientMemory, instance.component.name)?.record(Int64(instance.frameworkBytes))
        case .context: budgets.meter(.contextMemory, instance.component.name)?.record(Int64(instance.frameworkBytes))
        case .capability, .orchestrator, .presentation: break
        }
    }

    /// Counts the instance as ended.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        if instance.component.kind == .orchestrator {
            _ = observed.compareExchange(expected: instance.id, desired: 0, ordering: .relaxed)
        }
        census.destroyed(instance, lifetime: nanoseconds)
        instanceLog.destroyed(instance, lifetime: nanoseconds)
    }

    /// Shows the edge.
    public func resolved(_ dependency: ComponentDependency) {
        dependencies.resolved(dependency)
    }

    /// Begins to suspect the instance of a leak.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {
        census.unmounted(instance, at: time)
        budgets.unmounted()
    }

    /// Suspects everything that still lives, and closes no more windows of durations until another orchestrator begins.
    public func shutDown(at time: Instant) {
        observed.store(0, ordering: .relaxed)
        census.shutDown(at: time)
        budgets.unmounted()
        regressions.shutDown()
    }

    /// Binds the handles of a client's state.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? {
        states.probe(for: client)
    }

    /// Binds the meters of a capability or of the orchestrator.
    public func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? {
        let isCapability = component.kind == .capability
        let operations = isCapability ? ComponentOperation.ofCapabilities : ComponentOperation.ofOrchestrators
        return OperationMeters(operations, component.name, budgets)
    }

    /// Wraps a client, so that every action is counted and timed.
    public func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any Client<C.StateType, C.ActionType> {
        guard let measurement = measurement(C.ActionType.self, component, type) else { return client }
        return InstrumentedClient(client, measurement)
    }

    /// Wraps a stateless client, so that every action is counted and timed.
    public func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any StatelessClient<C.ActionType> {
        guard let measurement = measurement(C.ActionType.self, component, type) else { return client }
        return InstrumentedStatelessClient(client, measurement)
    }

    /// Counts apart who calls.
    public func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any Client<C.StateType, C.ActionType>
    ) -> any Client<C.StateType, C.ActionType> {
        guard let measurement = measurement(C.ActionType.self, component, type, asker) else { return shared }
        return InstrumentedClient(client, measurement)
    }

    /// Counts apart who calls.
    public func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any StatelessClient<C.ActionType>
    ) -> any StatelessClient<C.ActionType> {
        guard let measurement = measurement(C.ActionType.self, component, type, asker) else { return shared }
        return InstrumentedStatelessClient(client, measurement)
    }

    private func measurement<A: Action>(
        _ actions: A.Type,
        _ component: ComponentDescriptor,
        _ type: any StatelessClient.Type,
        _ caller: ComponentDescriptor? = nil
    ) -> ClientMeasurement<A>? {
        let found = circuits.breaker(ofClient: type, component)
        // Whoever asks later is told nothing new.
        guard let breaker = caller == nil ? named(found, component) : found else { return nil }
        return ClientMeasurement(
            component: component,
            recorder: clients.recorder(for: component, actions: actions).calls(from: caller),
            breaker: breaker,
            clock: clock
        )
    }

    /// Binds the handles of a context type.
    public func contextProbe<C: Context>(
        for context: ComponentDescriptor,
        of type: C.Type
    ) -> (any ContextProbe)? {
        contexts.probe(
            for: context,
            actions: C.ActionType.self,
            breaker: named(circuits.breaker(ofContext: type, context), context)
        )
    }

    /// Tells when the breaker of a component has not the component's name, since another is watched under that.
    private func named(_ breaker: CircuitBreaker?, _ component: ComponentDescriptor) -> CircuitBreaker? {
        if let breaker, breaker.name != component.name {
            let error = TelemetryError.breakerNameTaken(component.name, insteadCalled: breaker.name)
            ended(EndedError(error, origin: component, boundary: component))
        }
        return breaker
    }

    /// Counts the error under the component in which it arose, and hands it to the sink if it is critical.
    public func ended(_ error: EndedError) {
        errorMetrics.ended(error)
        errors.ended(error)
        if error.severity == .critical { errorDelivery?.send(error) }
    }

    /// Counts the recovery.
    public func recoveryEnded(_ report: RecoveryReport) {
        errorMetrics.recoveryEnded(report)
        errors.recoveryEnded(report)
    }

    /// The circuit breakers: of all client types, of the context types that have a rule, and those that are watched.
    public var breakers: [CircuitBreaker] { circuits.all }

    /// The breaker rules whose client or context type has not been registered, such as `client PaymentClient`. A rule for
    /// the wrong type is found here: without it, the client that it was meant for is in shadow mode.
    public var unusedBreakerRules: [String] { circuits.unusedRules }

    /// Shows a strategy of the application's own on the page: a breaker, a retry, a timeout, a bulkhead, a fallback, or
    /// all of them that a policy is made of. A strategy of a type of your own has no metrics: watching it does nothing.
    /// The label `policy` is the strategy's name.
    ///
    /// A breaker guards what the application runs through it and no component: one whose name a component comes to have
    /// at the start keeps the name, and the component's own is called `name#2`, which ``errors`` tells.
    ///
    /// - Throws: ``TelemetryError`` when another strategy of the same kind is watched under that name, or a component's
    ///   breaker has it.
    public func watch(_ strategy: any ResilienceStrategy) throws {
        switch strategy {
        case let policy as Policy: for inner in policy.strategies { try watch(inner) }
        case let breaker as CircuitBreaker: try circuits.watch(breaker)
        default: try strategies.watch(strategy)
        }
    }

    /// Waits until the sink has taken all errors that wait for it, or until the task is cancelled: what an application
    /// does before it exits. A sink that hangs is waited for, so give it a time limit.
    public func drainErrorSink() async {
        await errorDelivery?.drained()
    }

    /// Waits until `onBudgetViolation` has returned from all violations that wait for it, or until the task is cancelled:
    /// what an application does before it exits. A handler that hangs is waited for, so give it a time limit.
    public func drainBudgetViolations() async {
        await violations.drained()
    }
}

extension Telemetry {
    /// The clock to whose time line all instants belong.
    package var timeSource: TimeSource { clock }
}
