// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience
internal import Synchronization

/// Sends requests to one handler. A route, a worker, a job or a command holds one.
///
/// ``Orchestrator/register(_:limits:_:)`` returns it. It may be used from any task, and stays valid when
/// the application is shut down and started again; in between it refuses requests.
public struct Endpoint<Handler: RequestHandler>: Sendable {
    let core: EndpointCore<Handler>

    /// Answers a request.
    ///
    /// The request runs in the calling task, on no actor, with its cancellation. It waits for a free place if as many run
    /// as the ``RequestLimits`` allow.
    ///
    /// Cost with telemetry, besides the handler: about 2 µs of processor time; `request-rates` measures it.
    ///
    /// - Throws: ``RequestError`` if the endpoint is closed, has no place, or the request is too late; the refusal of the
    ///   request's validation; `CancellationError` if the task was cancelled; the error of
    ///   ``RequestHandler/recover(_:from:in:)``.
    @discardableResult
    public func request(
        _ request: Handler.ActionType,
        from origin: RequestOrigin = RequestOrigin()
    ) async throws -> Handler.ActionType.Answer {
        let (run, values) = try core.enter { request.caseIndex }
        defer { core.gate.leave() }
        return try await run.answer(request, from: origin, inheriting: values, admittedBy: core.bulkhead)
    }

    /// Runs `body` with one scope of work for many requests: a connection, a stream, the loop of a worker.
    ///
    /// The session takes one place, with the priority of its origin, and its requests have its values and belong to the
    /// trace of its caller. The time limit of the origin holds for the whole session. When the application is shut down, the
    /// task of `body` is cancelled as soon as no request of the session runs, and further requests are refused.
    ///
    /// - Throws: ``RequestError`` if the endpoint is closed or has no place, or the session is too late; the error of `body`,
    ///   which is not counted.
    public func session<R: Sendable>(
        from origin: RequestOrigin = RequestOrigin(),
        _ body: @escaping @Sendable (borrowing RequestSession<Handler>) async throws -> R
    ) async throws -> R {
        let (run, values) = try core.enter { nil }
        defer { core.gate.leave() }
        return try await run.session(from: origin, inheriting: values, admittedBy: core.bulkhead, core.sessions, body)
    }

    /// How many requests and sessions run.
    public var inFlight: Int { max(0, core.gate.inside - waiting) }
    /// How many more wait for a place.
    public var waiting: Int { core.bulkhead?.counts.queueDepth ?? 0 }
}

/// The side of an endpoint that the orchestrator sees, without the type of the handler.
@MainActor
protocol OrchestratedEndpoint: AnyObject, Sendable {
    var inspected: Inspection.Handler { get }
    /// Whether requests run or wait.
    var isBusy: Bool { get }
    /// Makes the handler.
    func make(_ component: ComponentDescriptor, _ environment: HandlerEnvironment) throws
    /// Takes requests from now on, if the handler was made.
    func open()
    /// Refuses requests from now on, because of `cause` if the handler could not be made.
    func close(_ component: ComponentDescriptor, because cause: (any Error)?)
    /// Waits until no request runs, after ``close(_:because:)``.
    func drain() async
    /// Cancels the sessions whose requests still run, and runs no request any more that waits for a place.
    func abandon()
    /// Releases the handler.
    func release()
    /// Sets the values that requests inherit.
    func inherit(_ values: AppValues.Storage)
}

/// What handlers are made from.
@MainActor
struct HandlerEnvironment {
    let clients: ClientRegistry
    let port: InstrumentationPort
    let values: AppValues.Storage
}

/// The state of an endpoint, which outlives the runs of the application.
final class EndpointCore<Handler: RequestHandler>: Sendable {
    typealias Make = @MainActor @Sendable (borrowing HandlerScope) throws -> Handler

    private enum Life {
        /// With the probe of a handler that could not be made, which refuses requests while the application runs.
        case closed(ComponentDescriptor, cause: (any Error)?, (any ClientProbe)? = nil)
        /// With the values that requests inherit from the orchestrator.
        case open(HandlerRun<Handler>, AppValues.Storage)
    }

    let limits: RequestLimits
    /// Nil if a limit is out of range. The endpoint is then never opened.
    let bulkhead: Bulkhead?
    let gate = DrainGate()
    let sessions = OpenSessions()
    private let factory: Make
    /// Changed on the main actor; read by each request after it has entered the gate.
    private let life: Lock<Life>

    init(_ component: ComponentDescriptor, _ limits: RequestLimits, clock: TimeSource, _ make: @escaping Make) {
        (self.limits, factory) = (limits, make)
        bulkhead = limits.bulkhead(component.name, clock)
        life = Lock(.closed(component, cause: nil))
    }

    /// Takes a request in, which has to leave the gate again.
    ///
    /// - Parameter caseIndex: Of what is counted as refused; nil for a session.
    /// - Throws: ``RequestError`` if the endpoint is closed.
    func enter(_ caseIndex: () -> Int?) throws -> (HandlerRun<Handler>, AppValues.Storage) {
        let isInside = gate.enter()
        switch life.withLock({ $0 }) {
        case .open(let run, let values) where isInside: return (run, values)
        case .open(let run, _):
            let error = RequestError.closed(run.component, limits)
            if let index = caseIndex() { run.refuse(caseIndex: index, error) }
            throw error
        case .closed(let component, let cause, let probe):
            if isInside { gate.leave() }
            if let index = caseIndex() { probe?.refused(caseIndex: index) }
            throw RequestError.closed(component, limits, cause: cause)
        }
    }
}

extension EndpointCore: OrchestratedEndpoint {
    var inspected: Inspection.Handler {
        let counts = bulkhead?.counts
        let waiting = counts?.queueDepth ?? 0
        switch life.withLock({ $0 }) {
        case .closed(let component, _, _): return Inspection.Handler(component.name)
        case .open(let run, _):
            return Inspection.Handler(
                run.component.name,
                id: run.handler.identity.id,
                inFlight: max(0, gate.inside - waiting),
                waiting: waiting,
                run.boundary.counts
            )
        }
    }

    func make(_ component: ComponentDescriptor, _ environment: HandlerEnvironment) throws {
        let identity = ComponentIdentity(component, port: environment.port)
        // If the factory throws, this stays, with the error that ``close(_:because:)`` adds.
        let probe = environment.port.observer?.requestProbe(for: component, of: Handler.self)
        life.withLock { $0 = .closed(component, cause: nil, probe) }
        let handler = try factory(HandlerScope(identity, environment.clients))
        try CompositionError.check(handler, has: identity)
        try SharedIdentity.check(partsOf: handler)
        identity.announce()
        let run = HandlerRun(handler, limits, environment.port, probe)
        life.withLock { $0 = .open(run, environment.values) }
    }

    func open() {
        sessions.begin()
        gate.open()
    }

    func close(_ component: ComponentDescriptor, because cause: (any Error)?) {
        gate.close()
        sessions.endAll()
        guard let cause else { return }
        life.withLock { life in
            let probe: (any ClientProbe)? = if case .closed(_, _, let probe) = life { probe } else { nil }
            life = .closed(component, cause: cause, probe)
        }
    }

    var isBusy: Bool { gate.inside > 0 }

    func drain() async { await gate.waitUntilEmpty() }

    func abandon() {
        if case .open(let run, _) = life.withLock({ $0 }) { run.isOver.store(true, ordering: .releasing) }
        sessions.cancelAll()
    }

    func release() {
        // The old state is released outside of the lock: it may be the last reference of the handler.
        _ = life.withLock { life in
            let old = life
            switch life {
            case .open(let run, _): life = .closed(run.component, cause: nil)
            case .closed(let component, _, _): life = .closed(component, cause: nil)
            }
            return old
        }
    }

    func inherit(_ values: AppValues.Storage) {
        // The old values are released outside of the lock: they may be the last references of what users set.
        let old = life.withLock { life -> Life in
            defer { if case .open(let run, _) = life { life = .open(run, values) } }
            return life
        }
        withExtendedLifetime(old) {}
    }
}
