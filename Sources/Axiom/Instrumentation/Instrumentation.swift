// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

/// The seam between the framework and whoever observes it.
///
/// An orchestrator reports here what happens to its components; the framework knows nothing of metrics. Every method
/// has a default that does nothing, so that an observer implements what it cares for. All of them are called
/// synchronously where the event happens: they must be quick, must not block, and may come from any thread.
///
/// With the package trait `Instrumented` off none is ever called.
public protocol Instrumentation: Sendable {
    /// An orchestrator starts, which reports here from now on. Called before everything else, once for each start.
    ///
    /// - Throws: What keeps it from being observed; ``Orchestrator/start()`` throws that.
    func begin(_ orchestrator: ComponentInstance) throws

    /// `component` can be made from now on. Called once for each type and start, before the first instance is made.
    func registered(_ component: ComponentDescriptor)

    /// As ``registered(_:)``, which it calls unless told otherwise.
    ///
    /// - Parameter module: The module that the type is declared in, such as `Shop`.
    func registered(_ component: ComponentDescriptor, module: String)

    /// An instance was made.
    func created(_ instance: ComponentInstance)

    /// An instance came to its end, after `lifetime` nanoseconds.
    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64)

    /// A component resolved a dependency. Called once for each pair of types and start.
    func resolved(_ dependency: ComponentDependency)

    /// The presentation that a context or presentation instance served was unmounted: the instance should end soon.
    func unmounted(_ instance: ComponentInstance, at time: Instant)

    /// The orchestrator was shut down, or its start failed: every instance that it made should end. Called once for each
    /// ``begin(_:)`` that did not throw, unless the orchestrator is released before.
    func shutDown(at time: Instant)

    /// Where the state store of a client reports; nil to hear nothing. Called once for each client.
    func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)?

    /// What contexts are given in place of `client`. Called once for each client, and again when its start is tried
    /// again. A wrapper notes the errors that pass it, as in `ErrorTrail.current?.note(error, from: component)`; a client
    /// that is not wrapped here is noted by the framework.
    ///
    /// Make the `process` of a wrapper `nonisolated(nonsending)`: it then begins where its caller runs, a call enters the
    /// client's actor once, and calls keep their order.
    ///
    /// - Parameter type: The type that contexts ask for: that of `client`, unless a double stands in its place.
    func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any Client<C.StateType, C.ActionType>

    /// What contexts are given in place of the stateless `client`. Called as for a client with state.
    func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any StatelessClient<C.ActionType>

    /// What the contexts of one type are given in place of `client`: `shared`, which ``wrap(_:_:registeredAs:)`` gave, or
    /// a wrapper that knows who calls. Called once for each context type, when the first context of it asks; not for a
    /// client that was not wrapped.
    func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any Client<C.StateType, C.ActionType>
    ) -> any Client<C.StateType, C.ActionType>

    /// What the contexts of one type are given in place of the stateless `client`. Called as for a client with state.
    func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any StatelessClient<C.ActionType>
    ) -> any StatelessClient<C.ActionType>

    /// Where the contexts of one type report; nil to hear nothing. Called once for each context type.
    func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)?

    /// Where a capability or the orchestrator reports how long its operations took; nil to hear nothing. Called once for
    /// each of them. Clients and contexts report theirs to their ``StateProbe`` and ``ContextProbe``.
    func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)?

    /// An error ended at a boundary. Each error is reported once, however many components it passed, and not at all
    /// when a remedy made it good.
    func ended(_ error: EndedError)

    /// A remedy ended, whether it made the error good or not. An error that is left to the next remedy, or ends, is
    /// the subject of further reports.
    func recoveryEnded(_ report: RecoveryReport)
}

extension Instrumentation {
    /// Observes any number of orchestrators.
    public func begin(_ orchestrator: ComponentInstance) throws {}
    /// Hears nothing.
    public func registered(_ component: ComponentDescriptor) {}
    /// Hears of the component alone.
    public func registered(_ component: ComponentDescriptor, module: String) { registered(component) }
    /// Hears nothing.
    public func created(_ instance: ComponentInstance) {}
    /// Hears nothing.
    public func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {}
    /// Hears nothing.
    public func resolved(_ dependency: ComponentDependency) {}
    /// Hears nothing.
    public func unmounted(_ instance: ComponentInstance, at time: Instant) {}
    /// Hears nothing.
    public func shutDown(at time: Instant) {}
    /// Hears nothing.
    public func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? { nil }
    /// Hands the client on as it is.
    public func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any Client<C.StateType, C.ActionType> { client }
    /// Hands the client on as it is.
    public func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type
    ) -> any StatelessClient<C.ActionType> { client }
    /// Gives all contexts the same.
    public func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any Client<C.StateType, C.ActionType>
    ) -> any Client<C.StateType, C.ActionType> { shared }
    /// Gives all contexts the same.
    public func wrap<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        sharing shared: any StatelessClient<C.ActionType>
    ) -> any StatelessClient<C.ActionType> { shared }
    /// Hears nothing.
    public func contextProbe<C: Context>(
        for context: ComponentDescriptor,
        of type: C.Type
    ) -> (any ContextProbe)? { nil }
    /// Hears nothing.
    public func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? { nil }
    /// Hears nothing.
    public func ended(_ error: EndedError) {}
    /// Hears nothing.
    public func recoveryEnded(_ report: RecoveryReport) {}
}

/// One instance of a component, as instrumentation sees it: a number and a type, never the instance itself.
public struct ComponentInstance: Sendable, Hashable {
    /// A number that no other component of this process has.
    public let id: UInt64
    /// The kind and name of its type.
    public let component: ComponentDescriptor
    /// When the orchestrator began to make it.
    public let createdAt: Instant
    /// The bytes of the framework's own objects that belong to the instance alone, as the allocator counts them: without
    /// the component itself and its state. 0 where the allocator does not tell, and at the end of the instance.
    public let frameworkBytes: Int
    /// How it ended; ``ComponentEnding/finished`` while it lives.
    public let ending: ComponentEnding

    /// Makes the description of an instance.
    public init(
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

/// Where the contexts of one type report. Bound once for each type, so that no look-up happens for each action.
public protocol ContextProbe: OperationProbe {
    /// What every action of the contexts goes through; nil for nothing. Asked once for each action and each retry of it.
    var breaker: CircuitBreaker? { get }

    /// An action ended, `nanoseconds` after ``Context/send(_:)`` was called.
    ///
    /// - Parameter caseIndex: The action's ``Action/caseIndex``, as the type gave it: it may lie outside of its names.
    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64)

    /// A phase of the life cycle ended, `nanoseconds` after it began.
    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64)
}

extension ContextProbe {
    /// No breaker.
    public var breaker: CircuitBreaker? { nil }
}

/// The phases of a context's life that are measured.
public enum LifecyclePhase: String, Sendable, Hashable, CaseIterable {
    /// The factory, downstream contexts included.
    case create
    /// ``Context/onAppear()``.
    case appear
    /// ``Context/onDisappear()``.
    case disappear
    /// ``Context/onBackground()``.
    case background
    /// ``Context/onForeground()``.
    case foreground
    /// From the first change of observed state to the end of the rendering that shows it.
    case render
}

/// An error that ended at the boundary of a context or of the orchestrator.
public struct EndedError: Sendable {
    /// The error.
    public let error: any Error
    /// The component in which it arose, as far as that is known; else the context at whose boundary it ended.
    public let origin: ComponentDescriptor
    /// The context, or the orchestrator, at whose boundary it ended.
    public let boundary: ComponentDescriptor
    /// The components that it passed, level by level: the origin first, the boundary last.
    public let path: [ComponentDescriptor]
    /// The error's stable code: that of an ``AxiomError``, else the name of the error's type.
    public let code: String
    /// How much harm it does.
    public let severity: ErrorSeverity

    /// Makes the report of an ended error; code and severity are read from the error.
    ///
    /// - Parameter path: The origin and the boundary unless given.
    public init(
        _ error: any Error,
        origin: ComponentDescriptor,
        boundary: ComponentDescriptor,
        path: [ComponentDescriptor]? = nil
    ) {
        self.error = error
        self.origin = origin
        self.boundary = boundary
        self.path = path ?? (origin == boundary ? [boundary] : [origin, boundary])
        code = ErrorCode(of: error).rawValue
        severity = (error as? any AxiomError)?.severity ?? .nonCritical
    }
}
