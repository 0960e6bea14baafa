// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

/// Several observers of one orchestrator: every event and every probe call goes to all of them, in their order.
///
/// ```swift
/// let orchestrator = Orchestrator(instrumentation: Instrumentations(telemetry, log))
/// ```
/// Without observers it observes nothing, which is the default of an orchestrator.
///
/// An action must be admitted by the circuit breakers of every observer. If one refuses it, all observers see it as
/// refused. The breakers that had admitted it count it as cancelled: their windows, and the probes of a half-open
/// breaker, are unchanged.
public struct Instrumentations: Instrumentation {
    private let observers: [any Instrumentation]

    /// Combines observers.
    public init(_ observers: any Instrumentation...) { self.observers = observers }

    /// The observers of the framework's own modules among all of them.
    public var frameworkObservers: FrameworkObservers {
        FrameworkObservers(observers.flatMap(\.frameworkObservers.all), isIdle: observers.isEmpty)
    }

    /// Begins with every observer.
    ///
    /// - Throws: The error of the first observer that does not accept the orchestrator. Those that had accepted it are
    ///   notified that it was shut down.
    public func begin(_ orchestrator: ComponentInstance) throws {
        for (index, observer) in observers.enumerated() {
            do {
                try observer.begin(orchestrator)
            } catch {
                for begun in observers[..<index].reversed() { begun.shutDown(at: orchestrator.createdAt) }
                throw error
            }
        }
    }

    /// Calls every observer.
    public func registered(_ component: ComponentDescriptor, module: String) {
        for observer in observers { observer.registered(component, module: module) }
    }

    /// Calls every observer.
    public func created(_ instance: ComponentInstance) {
        for observer in observers { observer.created(instance) }
    }

    /// Calls every observer.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        for observer in observers { observer.destroyed(instance, lifetime: nanoseconds) }
    }

    /// Calls every observer.
    public func resolved(_ dependency: ComponentDependency) {
        for observer in observers { observer.resolved(dependency) }
    }

    /// Calls every observer.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {
        for observer in observers { observer.unmounted(instance, at: time) }
    }

    /// Calls every observer.
    public func shutDown(at time: Instant) {
        for observer in observers { observer.shutDown(at: time) }
    }

    /// Calls every observer.
    public func ended(_ error: EndedError) {
        for observer in observers { observer.ended(error) }
    }

    /// Calls every observer.
    public func recoveryEnded(_ report: RecoveryReport) {
        for observer in observers { observer.recoveryEnded(report) }
    }

    // MARK: - Breakers and probes

    /// Returns the breakers of all observers.
    public func clientBreakers<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type
    ) -> [CircuitBreaker] {
        observers.flatMap { $0.clientBreakers(for: client, of: type) }
    }

    /// Returns the breakers of all observers.
    public func contextBreakers<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] {
        observers.flatMap { $0.contextBreakers(for: context, of: type) }
    }

    /// Returns a probe that calls those of all observers; nil if none has one.
    public func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? {
        combine(observers.compactMap { $0.clientProbe(for: client, of: type, calledBy: caller) }, ClientProbes.init)
    }

    /// Returns a probe that calls those of all observers; nil if none has one.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? {
        combine(observers.compactMap { $0.stateProbe(for: client) }, StateProbes.init)
    }

    /// Returns a probe that calls those of all observers; nil if none has one.
    public func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)? {
        combine(observers.compactMap { $0.contextProbe(for: context, of: type) }, ContextProbes.init)
    }

    /// Returns a probe that calls those of all observers; nil if none has one.
    public func requestProbe<H: RequestHandler>(
        for handler: ComponentDescriptor,
        of type: H.Type
    ) -> (any ClientProbe)? {
        combine(observers.compactMap { $0.requestProbe(for: handler, of: type) }, ClientProbes.init)
    }

    /// Returns a probe that calls those of all observers; nil if none has one.
    public func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? {
        combine(observers.compactMap { $0.operationProbe(for: component) }, OperationProbes.init)
    }

    /// Returns a signal that records with all observers; nil if none has one.
    public func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
        combine(observers.compactMap { $0.signal(family, values) }, Signals.init)
    }

    /// A single probe needs no list around it.
    private func combine<Probe>(_ probes: [Probe], _ all: ([Probe]) -> Probe) -> Probe? {
        probes.count > 1 ? all(probes) : probes.first
    }
}

private final class ClientProbes: ClientProbe {
    private let probes: [any ClientProbe]

    init(_ probes: [any ClientProbe]) { self.probes = probes }

    func began(caseIndex: Int) {
        for probe in probes { probe.began(caseIndex: caseIndex) }
    }

    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        for probe in probes { probe.ended(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds) }
    }

    func refused(caseIndex: Int) {
        for probe in probes { probe.refused(caseIndex: caseIndex) }
    }

    func waited(nanoseconds: Int64) {
        for probe in probes { probe.waited(nanoseconds: nanoseconds) }
    }
}

private struct ContextProbes: ContextProbe {
    let probes: [any ContextProbe]

    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        for probe in probes { probe.actionEnded(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds) }
    }

    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64) {
        for probe in probes { probe.phaseEnded(phase, nanoseconds: nanoseconds) }
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        for probe in probes { probe.operationEnded(operation, nanoseconds: nanoseconds) }
    }
}

private struct OperationProbes: OperationProbe {
    let probes: [any OperationProbe]

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        for probe in probes { probe.operationEnded(operation, nanoseconds: nanoseconds) }
    }
}

private struct StateProbes: StateProbe {
    let probes: [any StateProbe]

    func stateUpdated() {
        for probe in probes { probe.stateUpdated() }
    }

    func statesCoalesced(_ count: Int) {
        for probe in probes { probe.statesCoalesced(count) }
    }

    func statePropagated(nanoseconds: Int64) {
        for probe in probes { probe.statePropagated(nanoseconds: nanoseconds) }
    }

    func subscriberStalled(dropped: Int) {
        for probe in probes { probe.subscriberStalled(dropped: dropped) }
    }

    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) {
        for probe in probes { probe.storeMade(state: state) }
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        for probe in probes { probe.operationEnded(operation, nanoseconds: nanoseconds) }
    }
}

private struct Signals: Signal {
    let signals: [any Signal]

    func add(_ amount: Int) {
        for signal in signals { signal.add(amount) }
    }

    func set(_ value: Double) {
        for signal in signals { signal.set(value) }
    }

    func observe(_ value: Double) {
        for signal in signals { signal.observe(value) }
    }

    func observe(nanoseconds: Int64) {
        for signal in signals { signal.observe(nanoseconds: nanoseconds) }
    }
}
