// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomMetrics

/// The instrumented build's observer: everything that an orchestrator reports, as metrics in a registry.
///
/// ```swift
/// let telemetry = try Telemetry()
/// let orchestrator = Orchestrator(instrumentation: telemetry)
/// ```
/// There is no global: each orchestrator is given a telemetry of its own, and each telemetry a registry of its own.
///
/// What happens for each action is lock-free and allocates nothing: handles are bound when a client is wrapped or a
/// context type is registered. What happens for each component (creation, destruction) takes one uncontended lock.
public final class Telemetry: Instrumentation {
    /// Where the metrics are, for encoders and for an application's own metrics.
    public let registry: Registry

    private let clock: TimeSource
    private let census: ComponentCensus
    private let clients: ClientMetrics
    private let contexts: ContextMetrics
    private let states: StateMetrics
    private let errors: Family<Counter, String, String, ErrorSeverity>
    private let dependencies: Family<Gauge, String, String>

    /// Registers Axiom's metrics.
    ///
    /// - Parameters:
    ///   - registry: Where to register; it must not hold metrics of another telemetry. It is read once, to make sure.
    ///   - revision: The revision of the application, for `axiom_build_info`.
    ///   - leakThreshold: How long a context may live after its presentation was unmounted before it is suspected of
    ///     a leak; 0 s or more.
    ///   - clock: The clock that the orchestrator has as well.
    /// - Throws: ``TelemetryError`` when the registry has a telemetry already or the threshold is negative,
    ///   `MetricsError` when it holds another metric under one of Axiom's names.
    public init(
        registry: Registry = Registry(),
        revision: String = "unknown",
        leakThreshold: Duration = .seconds(30),
        clock: TimeSource = .live
    ) throws {
        guard leakThreshold >= .zero else { throw TelemetryError.negativeLeakThreshold(leakThreshold) }
        // Families of one definition are shared by design, so that a second telemetry would not be noticed otherwise:
        // its counts would be added to the first one's, and its components would be missing.
        guard registry.collect().family(BuildInfo.name) == nil else { throw TelemetryError.registryTaken }
        self.registry = registry
        self.clock = clock
        census = try ComponentCensus(registry, leakThreshold: leakThreshold, clock: clock)
        clients = try ClientMetrics(registry)
        contexts = try ContextMetrics(registry)
        states = try StateMetrics(registry)
        errors = try registry.counters(
            "axiom_errors_total",
            help: "Errors that ended at a boundary, by the component in which they arose.",
            labels: Label<String>("component"),
            Label<String>("code"),
            Label<ErrorSeverity>("severity")
        )
        dependencies = try registry.gauges(
            "axiom_component_dependency",
            help: "1 for each pair of component types of which the first resolved the second.",
            labels: Label<String>("from"),
            Label<String>("to")
        )
        try BuildInfo(revision: revision).register(in: registry)
        registry.register(census)
        registry.register(ProcessCollector())
        registry.showOwnMetrics()
    }
}

// MARK: - Instrumentation

extension Telemetry {
    /// Makes the series of the component type, all at 0.
    public func registered(_ component: ComponentDescriptor) {
        census.registered(component)
    }

    /// Counts the instance as living.
    public func created(_ instance: ComponentInstance) {
        census.created(instance)
    }

    /// Counts the instance as ended.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        census.destroyed(instance, lifetime: nanoseconds)
    }

    /// Shows the edge.
    public func resolved(_ dependency: ComponentDependency) {
        dependencies(dependency.from.name, dependency.to.name).set(1)
    }

    /// Begins to suspect the instance of a leak.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {
        census.unmounted(instance, at: time)
    }

    /// Suspects everything that still lives.
    public func shutDown(at time: Instant) {
        census.shutDown()
    }

    /// Binds the handles of a client's state.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? {
        states.probe(for: client)
    }

    /// Wraps a client, so that every action is counted and timed.
    public func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor
    ) -> any Client<C.StateType, C.ActionType> {
        let recorder = clients.recorder(for: component, actions: C.ActionType.self)
        return InstrumentedClient(client, component, recorder: recorder, clock: clock)
    }

    /// Wraps a stateless client, so that every action is counted and timed.
    public func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor
    ) -> any StatelessClient<C.ActionType> {
        let recorder = clients.recorder(for: component, actions: C.ActionType.self)
        return InstrumentedStatelessClient(client, component, recorder: recorder, clock: clock)
    }

    /// Binds the handles of a context type.
    public func contextProbe<A: Action>(
        for context: ComponentDescriptor,
        actions: A.Type
    ) -> (any ContextProbe)? {
        contexts.probe(for: context, actions: actions)
    }

    /// Counts the error under the component in which it arose.
    public func ended(_ error: EndedError) {
        errors(error.origin.name, error.code, error.severity).increment()
    }
}
