// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The shared services of one orchestrator's components: the observer, the clock, and the limits of waits.
final class InstrumentationPort: Sendable {
    #if Instrumented
    /// Receives the events of the components; nil if nothing observes them. Called only through this port.
    let observer: (any Instrumentation)?
    #else
    /// Always nil: without the trait only errors that end are recorded, and every call through here compiles to nothing.
    @inline(__always)
    var observer: (any Instrumentation)? { nil }
    #endif

    /// The observers of the framework's own modules, read once.
    let framework: FrameworkObservers
    /// Names the circuit breakers of the components, and gets the errors that end. Also without the trait, because
    /// breakers protect, and an error that nothing shows has to reach a log.
    private let protection: any Instrumentation
    let clock: TimeSource
    let limits: WaitLimits
    /// Nil if ``WaitLimits/overdue`` is nil.
    let watchdog: Watchdog?
    /// Nil if nothing keeps the actions of contexts.
    let scenarioRecording: (any ScenarioRecording)?
    /// The counters of events that are rare, by family and component. Bound at the first event.
    private let rareCounters = Lock<[String: [String: any Signal]]>([:])
    /// The dependencies that have been resolved. Locked: clients and capabilities are made on the main actor, but a
    /// graph may be read anywhere.
    let graph = Lock(ComponentGraph())
    /// Whether the observer accepted the orchestrator and has not been notified of its end. Changed on the main actor;
    /// relaxed, because it orders nothing else.
    private let isObserved = Atomic(false)
    /// Whether an orchestrator has started in this process. Relaxed, because it orders nothing else.
    private static let hasStarted = Atomic(false)

    init(_ observer: any Instrumentation, clock: TimeSource, limits: WaitLimits = WaitLimits()) {
        #if Instrumented
        framework = observer.frameworkObservers
        self.observer = framework.isIdle ? nil : observer
        #else
        framework = .none
        #endif
        scenarioRecording = framework.first(\.scenarioRecording)
        protection = observer
        self.clock = clock
        self.limits = limits
        watchdog = limits.overdue.map { Watchdog(limit: $0, clock: clock) }
    }

    /// The recorder of a component's spans; nil if nothing records them.
    func spanProbe(for component: ComponentDescriptor, actions: [String] = []) -> (any SpanProbe)? {
        framework.first { $0.spanProbe(for: component, actions: actions) }
    }

    /// The recorder of a capability's calls from one component; nil if nothing records them.
    func capabilityProbe(
        for capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)? {
        framework.first { $0.capabilityProbe(for: capability, calledBy: caller) }
    }

    /// The recorder of a client's states; nil if they are never inspected.
    func stateRecorder(for client: ComponentIdentity) -> (any StateRecorder)? {
        framework.first { $0.stateRecorder(for: client.descriptor, instance: client.id) }
    }

    /// The gate that injects faults into a component; nil if no observer does.
    func faultGate(for component: ComponentDescriptor) -> FaultGate? {
        framework.first { $0.faultGate(for: component) }
    }

    func gate<C: StatelessClient>(of client: ComponentDescriptor, _ type: C.Type) -> BreakerGate {
        BreakerGate(protection.clientBreakers(for: client, of: type))
    }

    func gate<C: Context>(of context: ComponentDescriptor, _ type: C.Type) -> BreakerGate {
        BreakerGate(protection.contextBreakers(for: context, of: type))
    }

    /// The limit of one wait for `component`.
    func limit(_ operation: TurnOperation, of component: ComponentDescriptor) -> WaitLimit {
        WaitLimit(TurnSubject(operation, of: component), limits, clock: clock)
    }

    /// Reports an error that ended at a boundary, with and without the trait.
    func ended(_ error: EndedError) { protection.ended(error) }

    // MARK: - Rare events

    /// Counts a wait of `component` that was refused because it would never have ended.
    func reportDeadlock(of component: ComponentDescriptor) {
        count(ConcurrencySignals.deadlocks, component)
    }

    /// Counts a step of a shutdown that exceeded its limit.
    func reportShutdownOverdue(_ component: ComponentDescriptor) {
        count(ConcurrencySignals.shutdownOverdue, component)
    }

    /// Puts a family on the page before the component's first event.
    func bind(_ family: SignalFamily, _ component: ComponentDescriptor) {
        _ = counter(family, component)
    }

    /// Counts a rare event of a component.
    func count(_ family: SignalFamily, _ component: ComponentDescriptor) {
        counter(family, component)?.increment()
    }

    private func counter(_ family: SignalFamily, _ component: ComponentDescriptor) -> (any Signal)? {
        if let known = rareCounters.withLock({ $0[family.name]?[component.name] }) { return known }
        let counter = observer?.signal(family, [component.name])
        rareCounters.withLock { $0[family.name, default: [:]][component.name] = counter }
        return counter
    }

    /// Puts the families on the page before their first event.
    fileprivate func bindCounters(of orchestrator: ComponentDescriptor) {
        for family in [ConcurrencySignals.deadlocks, ConcurrencySignals.shutdownOverdue] {
            _ = counter(family, orchestrator)
        }
    }

    // MARK: - The orchestrator's own events

    /// - Throws: The observer's error if it does not accept the orchestrator.
    func begin(_ orchestrator: ComponentIdentity) throws {
        guard let observer else { return }
        try observer.begin(orchestrator.instance())
        isObserved.store(true, ordering: .relaxed)
        bindCounters(of: orchestrator.descriptor)
    }

    /// Reports how long the start took.
    func started(since start: Instant, _ orchestrator: ComponentDescriptor) {
        guard let observer else { return }
        let isFirst = !Self.hasStarted.exchange(true, ordering: .relaxed)
        let probe = observer.operationProbe(for: orchestrator)
        probe?.operationEnded(isFirst ? .coldStart : .warmStart, nanoseconds: clock.now.nanoseconds(since: start))
    }

    /// Reports the end of a period that ``begin(_:)`` began, once. Reports nothing if the observer refused the
    /// orchestrator, because it may observe another one.
    func shutDown() {
        guard let observer, isObserved.exchange(false, ordering: .relaxed) else { return }
        observer.shutDown(at: clock.now)
    }
}
