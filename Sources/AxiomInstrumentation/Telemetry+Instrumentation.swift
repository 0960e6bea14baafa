// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomResilience
internal import Synchronization

// The events that an orchestrator reports, and the recorders that receive them.
extension Telemetry {
    /// Observes this orchestrator until it is shut down or released. If an earlier orchestrator was shut down, duration
    /// windows are closed again from now on.
    ///
    /// - Throws: ``TelemetryError`` with the code `telemetryTaken` if another orchestrator is observed.
    public func begin(_ orchestrator: ComponentInstance) throws {
        let taken = observed.compareExchange(expected: 0, desired: orchestrator.id, ordering: .relaxed)
        guard taken.exchanged || taken.original == orchestrator.id else { throw TelemetryError.telemetryTaken }
        recording.census.begin()
        regressions.begin()
    }

    /// Creates the series of the component type, all at 0.
    public func registered(_ component: ComponentDescriptor, module: String) {
        recording.census.registered(component, module: module)
        budgets.registered(component)
    }

    /// Counts the instance as living.
    public func created(_ instance: ComponentInstance) {
        recording.census.created(instance)
        recording.instanceLog.created(instance)
        guard instance.frameworkBytes > 0 else { return }
        switch instance.component.kind {
        case .client: budgets.meter(.clientMemory, instance.component.name)?.record(Int64(instance.frameworkBytes))
        case .context: budgets.meter(.contextMemory, instance.component.name)?.record(Int64(instance.frameworkBytes))
        case .capability, .request, .orchestrator, .presentation: break
        }
    }

    /// Counts the instance as ended.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        if instance.component.kind == .orchestrator {
            _ = observed.compareExchange(expected: instance.id, desired: 0, ordering: .relaxed)
        }
        recording.census.destroyed(instance, lifetime: nanoseconds)
        recording.instanceLog.destroyed(instance, lifetime: nanoseconds)
    }

    /// Records the edge.
    public func resolved(_ dependency: ComponentDependency) {
        recording.dependencies.resolved(dependency)
    }

    /// Starts the leak threshold of the instance.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {
        recording.census.unmounted(instance, at: time)
        budgets.unmounted()
    }

    /// Makes every living component a leak suspect, and closes no more duration windows until another orchestrator
    /// begins.
    public func shutDown(at time: Instant) {
        observed.store(0, ordering: .relaxed)
        watching.developerActions.endAll()
        recording.census.shutDown(at: time)
        budgets.unmounted()
        regressions.shutDown()
        errorLog.flush()
    }

    /// Binds the handles of a client's state.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? {
        recording.states.probe(for: client)
    }

    /// Binds the meters of a capability or of the orchestrator.
    public func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? {
        let isCapability = component.kind == .capability
        let operations = isCapability ? ComponentOperation.ofCapabilities : ComponentOperation.ofOrchestrators
        return OperationMeters(operations, component.name, budgets)
    }

    /// Binds the handles of the calls that a context type makes to a client.
    public func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? {
        recording.clients.probe(for: client, actions: C.ActionType.self, calledBy: caller)
    }

    /// Binds the handles of a context type.
    public func contextProbe<C: Context>(
        for context: ComponentDescriptor,
        of type: C.Type
    ) -> (any ContextProbe)? {
        recording.contexts.probe(for: context, actions: C.ActionType.self)
    }

    /// Binds the handles of the requests to a handler type.
    public func requestProbe<H: RequestHandler>(
        for handler: ComponentDescriptor,
        of type: H.Type
    ) -> (any ClientProbe)? {
        recording.requests.probe(for: handler, actions: H.ActionType.self, calledBy: nil)
    }

    /// The breaker of a client type: by its rule, or else in shadow mode. With the trait `Instrumented` off there are
    /// no breakers in shadow mode, because they only record.
    public func clientBreakers<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type
    ) -> [CircuitBreaker] {
        named(judging.circuits.breaker(ofClient: type, client), client)
    }

    /// The breaker of a context type with a rule.
    public func contextBreakers<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] {
        named(judging.circuits.breaker(ofContext: type, context), context)
    }

    /// Reports that a breaker was renamed because a watched breaker already uses the component's name.
    private func named(_ breaker: CircuitBreaker?, _ component: ComponentDescriptor) -> [CircuitBreaker] {
        guard let breaker else { return [] }
        if breaker.name != component.name {
            let error = TelemetryError.breakerNameTaken(component.name, insteadCalled: breaker.name)
            ended(EndedError(error, origin: component, boundary: component))
        }
        return [breaker]
    }

    /// Binds a signal of another module to a series in the registry, which exists from then on. The same family and
    /// values give the same series.
    ///
    /// Returns nil if the family cannot be registered (its name is invalid or taken) or the number of values is wrong.
    /// The failure then ends as an error of the orchestrator.
    public func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
        do {
            return try recording.signals.signal(family, values)
        } catch {
            let orchestrator = ComponentDescriptor(kind: .orchestrator, name: "Orchestrator")
            ended(EndedError(error, origin: orchestrator, boundary: orchestrator))
            return nil
        }
    }

    /// Counts the error under the component in which it arose, passes it to the sink if it is critical, and writes a line to
    /// standard error, if errors are logged there.
    public func ended(_ error: EndedError) {
        recording.errorMetrics.ended(error)
        if let unlogged = errors.ended(error) { errorLog.write(error, unlogged: unlogged) }
        if error.severity == .critical { errorDelivery?.send(error) }
    }

    /// Counts the recovery.
    public func recoveryEnded(_ report: RecoveryReport) {
        recording.errorMetrics.recoveryEnded(report)
        errors.recoveryEnded(report)
    }
}

extension Telemetry: FrameworkObserver {
    /// The telemetry itself.
    public var frameworkObservers: FrameworkObservers { FrameworkObservers(self) }

    package func spanProbe(for component: ComponentDescriptor, actions: [String]) -> (any SpanProbe)? {
        recording.spans?.probe(for: component, actions: actions)
    }

    package func capabilityProbe(
        for capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)? {
        recording.capabilities.probe(for: capability, calledBy: caller)
    }

    package func traceparent(of span: SpanContext) -> String? {
        guard let recorder = recording.spans?.recorder, recorder.isOwn(span) else { return nil }
        // Version 00, sampled: every span is recorded.
        return "00-\(recorder.traceID(of: span.trace))-\(TraceID.hex(span.span))-01"
    }

    package func faultGate(for component: ComponentDescriptor) -> FaultGate? {
        watching.developerActions.gates.gate(of: component)
    }

    package func stateRecorder(for client: ComponentDescriptor, instance: UInt64) -> (any StateRecorder)? {
        watching.inspector.recorder(for: client, instance: instance)
    }

    package var scenarioRecording: (any ScenarioRecording)? { watching.scenario }

    package func inspectable(_ inspect: @escaping @MainActor @Sendable () -> Inspection?) {
        watching.inspections.set(inspect)
    }

    package func actionsInFlight(of client: ComponentDescriptor) -> Int? {
        guard BuildInfo.isInstrumented else { return nil }
        return Int(recording.clients.inFlight(of: client))
    }

    package func capability(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?) {
        watching.capabilitySources.add(component, read)
    }
}

extension Telemetry {
    /// Sets the source of the context of errors. The last one set applies to the errors from then on.
    ///
    /// It is called once for each error that ends or is recovered from, and again for its record in a log, where that
    /// happens, without a lock. It must be quick and must not wait.
    public func provideErrorContext(_ provider: @escaping @Sendable () -> ErrorContext) {
        errors.provideContext(provider)
    }

    /// Leaves the errors to the application's own log.
    package func leaveErrorsToLog() { errorLog.redirect(to: nil) }

    /// The application's context of an error that occurs now; nil if it provides none.
    package var errorContext: ErrorContext? { errors.presentContext }
}
