// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// One scope of work for many requests: a connection, a stream, the loop of a worker. See
/// ``Endpoint/session(from:_:)``. It cannot be copied or stored.
public struct RequestSession<Handler: RequestHandler>: ~Copyable, Sendable {
    /// The values of the session: those of its origin, and for what it does not set those of the orchestrator.
    public var values: AppValues { facts.values }
    private let run: HandlerRun<Handler>
    private let facts: RequestFacts
    private let parent: SpanContext
    private let state: SessionState

    init(_ run: HandlerRun<Handler>, _ facts: RequestFacts, _ parent: SpanContext, _ state: SessionState) {
        (self.run, self.facts, self.parent, self.state) = (run, facts, parent, state)
    }

    /// Answers a request of the session. It needs no place of its own.
    ///
    /// - Throws: As ``Endpoint/request(_:from:)``.
    @discardableResult
    public func request(_ request: Handler.ActionType) async throws -> Handler.ActionType.Answer {
        guard state.begin() else {
            let error = RequestError.closed(run.component, run.limits)
            run.refuse(caseIndex: request.caseIndex, error)
            throw error
        }
        defer { state.end() }
        return try await run.answer(request, facts, under: parent)
    }
}

/// The requests of one session, and the task to cancel when the application ends.
final class SessionState: Sendable {
    private struct State {
        var running = 0
        var isEnding = false
        var cancel: (@Sendable () -> Void)?

        var isCancelled = false

        /// What ends the session; nil as long as a request of it runs.
        var ending: (@Sendable () -> Void)? { isCancelled || isEnding && running == 0 ? cancel : nil }
    }

    /// Guarded by its lock. Tasks are cancelled outside of it.
    private let state = Lock(State())

    /// Sets what cancels the task of the session.
    func cancels(by cancel: @escaping @Sendable () -> Void) { change { $0.cancel = cancel } }

    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// The session ends as soon as no request of it runs.
    func endSoon() { change { $0.isEnding = true } }

    /// The session ends now.
    func cancel() { change { ($0.isEnding, $0.isCancelled) = (true, true) } }

    /// A request begins; false if the session is ending.
    func begin() -> Bool {
        state.withLock { state in
            if !state.isEnding { state.running += 1 }
            return !state.isEnding
        }
    }

    /// A request has ended.
    func end() { change { $0.running -= 1 } }

    private func change(_ body: (inout State) -> Void) {
        let ending = state.withLock { state in
            body(&state)
            return state.ending
        }
        ending?()
    }
}

/// The sessions of one endpoint.
final class OpenSessions: Sendable {
    private struct State {
        var sessions: [ObjectIdentifier: SessionState] = [:]
        var areEnding = false
    }

    private let state = Lock(State())

    /// Adds a session. If the application is being shut down, the session ends at once.
    func add(_ session: SessionState) {
        let isEnding = state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = session
            return state.areEnding
        }
        if isEnding { session.endSoon() }
    }

    func remove(_ session: SessionState) {
        state.withLock { $0.sessions[ObjectIdentifier(session)] = nil }
    }

    /// Sessions that are added from now on do not end before ``endAll()``.
    func begin() { state.withLock { $0.areEnding = false } }

    /// Ends all sessions, each as soon as no request of it runs.
    func endAll() {
        for session in ending { session.endSoon() }
    }

    /// Cancels all sessions.
    func cancelAll() {
        for session in ending { session.cancel() }
    }

    private var ending: [SessionState] {
        state.withLock { state in
            state.areEnding = true
            return Array(state.sessions.values)
        }
    }
}
