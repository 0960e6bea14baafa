// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

/// Observes an orchestrator: receives its events and hands out the probes to which its components report.
///
/// The framework does not depend on metrics. Every requirement has a default that does nothing, so an observer
/// implements only what it needs. The framework calls all of them synchronously where the event happens: they must be
/// quick, must not block, and may run on any thread. Combine several observers with ``Instrumentations``.
///
/// With the package trait `Instrumented` off, only ``clientBreakers(for:of:)``, ``contextBreakers(for:of:)`` and
/// ``ended(_:)`` are called: breakers protect, and no error is lost.
public protocol Instrumentation: Sendable {
    /// An orchestrator starts and reports here from now on. Called before everything else, once for each start.
    ///
    /// - Throws: An error if the orchestrator cannot be observed; ``Orchestrator/start()`` throws it.
    func begin(_ orchestrator: ComponentInstance) throws

    /// A component type was registered. Called once for each type and start, before the first instance is made.
    ///
    /// - Parameter module: The module that declares the type, such as `Shop`.
    func registered(_ component: ComponentDescriptor, module: String)

    /// An instance was created.
    func created(_ instance: ComponentInstance)

    /// An instance ended, `nanoseconds` after it was created.
    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64)

    /// A component resolved a dependency. Called once for each pair of types and start.
    func resolved(_ dependency: ComponentDependency)

    /// The presentation of a context or presentation instance was unmounted: the instance should end soon.
    func unmounted(_ instance: ComponentInstance, at time: Instant)

    /// The orchestrator was shut down, or its start failed: every instance that it made should end. Called once for
    /// each ``begin(_:)`` that did not throw, unless the orchestrator was released before.
    func shutDown(at time: Instant)

    /// Returns the probe of the calls of a client, or nil to ignore them.
    ///
    /// Called once without a caller when the client is made, and again for each retry of its start; then once for each
    /// context type, when its first context resolves the client.
    ///
    /// - Parameters:
    ///   - type: The type that the client is registered as. A test double is observed under the type that it replaces.
    ///   - caller: The context type whose calls the probe gets; nil for the client itself.
    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)?

    /// Returns the circuit breakers that must all admit an action before a client of this type runs it.
    ///
    /// Called once for each client and start, with the package trait `Instrumented` on and off. A breaker that several
    /// observers return decides once for each action.
    ///
    /// - Parameter type: The type that the client is registered as. A test double is guarded like the type that it
    ///   replaces.
    func clientBreakers<C: StatelessClient>(for client: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker]

    /// Returns the circuit breakers that must all admit an action, and each retry of it, before a context of this type
    /// handles it. Called once for each context type and start, with the package trait `Instrumented` on and off.
    func contextBreakers<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker]

    /// Returns the probe of a client's state store, or nil to ignore it. Called once for each client.
    func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)?

    /// Returns the probe of all contexts of one type, or nil to ignore them. Called once for each context type.
    func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)?

    /// Returns the probe of the requests to one handler type, or nil to ignore them. Called once for each start.
    ///
    /// A request is reported like an action of a client: refused, or begun and ended. A wait for a free place is reported
    /// as ``ClientProbe/waited(nanoseconds:)``.
    func requestProbe<H: RequestHandler>(for handler: ComponentDescriptor, of type: H.Type) -> (any ClientProbe)?

    /// Returns the probe of a capability or of the orchestrator, or nil to ignore it. Called once for each of them.
    func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)?

    /// Returns a signal of a family, or nil if the observer does not record it. Called once for each signal, before
    /// the first recording.
    ///
    /// - Parameter values: The values of the family's labels, in the same order.
    func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)?

    /// An error ended at a boundary. Each error is reported once, regardless of how many components it passed. It is
    /// not reported if a recovery succeeded.
    func ended(_ error: EndedError)

    /// A recovery step ended, successfully or not. If it failed, the error goes to the next step or ends, which is
    /// reported separately.
    func recoveryEnded(_ report: RecoveryReport)

    /// What Axiom's own modules record besides. Read once for each orchestrator. An observer of an application has
    /// none, unless it wraps another observer.
    var frameworkObservers: FrameworkObservers { get }
}

extension Instrumentation {
    /// Accepts every orchestrator.
    public func begin(_ orchestrator: ComponentInstance) throws {}
    /// Does nothing.
    public func registered(_ component: ComponentDescriptor, module: String) {}
    /// Does nothing.
    public func created(_ instance: ComponentInstance) {}
    /// Does nothing.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {}
    /// Does nothing.
    public func resolved(_ dependency: ComponentDependency) {}
    /// Does nothing.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {}
    /// Does nothing.
    public func shutDown(at time: Instant) {}
    /// Returns nil.
    public func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? { nil }
    /// Returns no breakers.
    public func clientBreakers<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type
    ) -> [CircuitBreaker] { [] }
    /// Returns no breakers.
    public func contextBreakers<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] {
        []
    }
    /// Returns nil.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? { nil }
    /// Returns nil.
    public func contextProbe<C: Context>(
        for context: ComponentDescriptor,
        of type: C.Type
    ) -> (any ContextProbe)? { nil }
    /// Returns nil.
    public func requestProbe<H: RequestHandler>(
        for handler: ComponentDescriptor,
        of type: H.Type
    ) -> (any ClientProbe)? { nil }
    /// Returns nil.
    public func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? { nil }
    /// Returns nil.
    public func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? { nil }
    /// Does nothing.
    public func ended(_ error: EndedError) {}
    /// Does nothing.
    public func recoveryEnded(_ report: RecoveryReport) {}
    /// Returns none.
    public var frameworkObservers: FrameworkObservers { .none }
}

/// One instance of a component as observers see it: a number and a type, never the instance itself.
public struct ComponentInstance: Sendable, Hashable {
    /// A number that no other component of this process has.
    public let id: UInt64
    /// The kind and name of its type.
    public let component: ComponentDescriptor
    /// When the orchestrator began its creation.
    public let createdAt: Instant
    /// The size of the framework's own objects that belong to this instance alone, according to the allocator, without
    /// the component itself and its state. 0 if the allocator does not report it, and at the end of the instance.
    package let frameworkBytes: Int
    /// How it ended; ``ComponentEnding/finished`` while it lives.
    public let ending: ComponentEnding

    package init(
        id: UInt64,
        component: ComponentDescriptor,
        createdAt: Instant,
        frameworkBytes: Int = 0,
        ending: ComponentEnding = .finished
    ) {
        self.frameworkBytes = frameworkBytes
        self.ending = ending
        self.id = id
        self.component = component
        self.createdAt = createdAt
    }
}

/// How the life of a component ended.
public enum ComponentEnding: UInt8, Sendable, Hashable, CaseIterable {
    /// It was no longer needed.
    case finished
    /// It ended before its start was over: the initialization of a capability or the activation of a client was
    /// cancelled, or a context disappeared before it had appeared.
    case cancelled
    /// Its start failed: the initialization of a capability or the activation of a client threw, or the appearance of a
    /// context ended in an error.
    case failed
}

/// An error that ended at the boundary of a context or of the orchestrator.
public struct EndedError: Sendable {
    /// The error.
    public let error: any Error
    /// The component in which it originated, if known; otherwise the context at whose boundary it ended.
    public let origin: ComponentDescriptor
    /// The context, or the orchestrator, at whose boundary it ended.
    public let boundary: ComponentDescriptor
    /// The components that it passed, level by level: the origin first, the boundary last.
    public let path: [ComponentDescriptor]
    /// The stable code of an ``AxiomError``; for any other error, the name of its type.
    public let code: String
    /// The severity.
    public let severity: ErrorSeverity
    /// The chain of the error's causes; nil if it has no cause.
    package let chain: ErrorChain?
    /// The span of the failed operation; ``SpanContext/none`` if it is not recorded.
    package let span: SpanContext

    /// Makes the report of an ended error; code and severity are read from the error.
    ///
    /// - Parameter path: By default the origin and the boundary.
    package init(
        _ error: any Error,
        origin: ComponentDescriptor,
        boundary: ComponentDescriptor,
        path: [ComponentDescriptor]? = nil,
        chain: ErrorChain? = nil,
        span: SpanContext = .none
    ) {
        self.error = error
        self.origin = origin
        self.boundary = boundary
        self.path = path ?? (origin == boundary ? [boundary] : [origin, boundary])
        self.chain = chain
        code = ErrorCode(of: error).rawValue
        severity = (error as? any AxiomError)?.severity ?? .nonCritical
        self.span = span
    }
}
