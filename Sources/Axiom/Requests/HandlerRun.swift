// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience
internal import Synchronization

/// One handler during one run of the application, and what surrounds each of its requests: validation, admission, the time
/// limit, the span, the boundary of errors, and the report to the probe.
final class HandlerRun<Handler: RequestHandler>: Sendable {
    typealias Request = Handler.ActionType

    let handler: Handler
    let component: ComponentDescriptor
    let limits: RequestLimits
    let boundary: RequestBoundary
    let port: InstrumentationPort
    let probe: any ClientProbe
    /// Nil if nothing records spans.
    let spans: (any SpanProbe)?
    private let validates = Request.validates
    /// Whether the shutdown no longer waits for requests: those that wait for a place do not run.
    let isOver = Atomic(false)

    @MainActor
    init(
        _ handler: Handler,
        _ limits: RequestLimits,
        _ port: InstrumentationPort,
        _ probe: (any ClientProbe)?
    ) {
        (self.handler, self.limits, self.port) = (handler, limits, port)
        component = handler.identity.descriptor
        boundary = RequestBoundary(component, port)
        self.probe = probe ?? NoCalls.probe
        spans = probe == nil ? nil : port.spanProbe(for: component, actions: Request.caseNames)
    }

    /// Answers a request of an endpoint, as soon as the bulkhead has a place for it.
    nonisolated(nonsending) func answer(
        _ request: Request,
        from origin: RequestOrigin,
        inheriting inherited: AppValues.Storage,
        admittedBy bulkhead: Bulkhead?
    ) async throws -> Request.Answer {
        let start = port.clock.now
        let limit = shorter(origin.timeLimit, Handler.timeLimit(of: request))
        let call = RequestCall(
            caseIndex: request.caseIndex,
            facts: RequestFacts(values(of: origin, over: inherited, limit, from: start)),
            parent: origin.parent,
            start: start
        )
        try validate(request, call)
        let priority = origin.priority ?? Handler.priority(of: request)
        guard let limit else { return try await answer(request, call, priority, bulkhead) }
        return try await within(limit, call.caseIndex) { try await self.answer(request, call, priority, bulkhead) }
    }

    private nonisolated(nonsending) func answer(
        _ request: Request,
        _ call: RequestCall,
        _ priority: BulkheadPriority,
        _ bulkhead: Bulkhead?
    ) async throws -> Request.Answer {
        try await admit(call, counted: true, priority, bulkhead)
        defer { bulkhead?.leave() }
        return try await perform(request, call)
    }

    /// Answers a request of a session, which has its place.
    nonisolated(nonsending) func answer(
        _ request: Request,
        _ facts: RequestFacts,
        under parent: SpanContext
    ) async throws -> Request.Answer {
        let (start, limit) = (port.clock.now, Handler.timeLimit(of: request))
        var own = facts
        if let limit {
            var values = facts.values
            values.deadline = shorter(start.advanced(by: limit), values.deadline)
            own = RequestFacts(values, id: facts.id)
        }
        let call = RequestCall(caseIndex: request.caseIndex, facts: own, parent: parent, start: start)
        try validate(request, call)
        guard let limit else { return try await perform(request, call) }
        return try await within(limit, call.caseIndex) { try await self.perform(request, call) }
    }

    /// Runs the body of a session, in a task that ``SessionState`` cancels.
    func session<R: Sendable>(
        from origin: RequestOrigin,
        inheriting inherited: AppValues.Storage,
        admittedBy bulkhead: Bulkhead?,
        _ sessions: OpenSessions,
        _ body: @escaping @Sendable (borrowing RequestSession<Handler>) async throws -> R
    ) async throws -> R {
        let (state, start) = (SessionState(), port.clock.now)
        let facts = RequestFacts(values(of: origin, over: inherited, origin.timeLimit, from: start))
        let call = RequestCall(caseIndex: 0, facts: facts, parent: origin.parent, start: start)
        return try await within(origin.timeLimit, nil) {
            try await self.admit(call, counted: false, origin.priority ?? .normal, bulkhead)
            defer { bulkhead?.leave() }
            sessions.add(state)
            defer { sessions.remove(state) }
            var context = OperationContext.current
            context.request = facts
            let task = Task(executorPreference: inheritedExecutor) { [context] in
                try await context.bind(with: nil) {
                    try await body(RequestSession(self, facts, call.parent, state))
                }
            }
            state.cancels { task.cancel() }
            return try await self.value(of: task, state)
        }
    }

    private func value<R>(of task: Task<R, any Error>, _ state: SessionState) async throws -> R {
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where state.isEnding && !Task.isCancelled {
            throw RequestError.closed(component, limits)
        }
    }

    /// Reports a request that does not run.
    func refuse(caseIndex: Int, _ error: any Error) {
        probe.refused(caseIndex: caseIndex)
        spans?.record(record(caseIndex, since: port.clock.now, 0, .rejected, error))
    }

    private func values(
        of origin: RequestOrigin,
        over inherited: AppValues.Storage,
        _ limit: Duration?,
        from start: Instant
    ) -> AppValues {
        // Without the deadline of the origin's values: those of another request have its deadline.
        var values = origin.values.over(inherited)
        if let limit { values.deadline = start.advanced(by: limit) }
        return values
    }
}

/// What is known of a request that an endpoint or a session has taken. Apart from the request, so that its layout does not
/// depend on that of the request, whose metadata would be looked up for each one.
struct RequestCall: Sendable {
    /// Read once, because reflection takes time.
    let caseIndex: Int
    let facts: RequestFacts
    let parent: SpanContext
    let start: Instant
}

extension RequestOrigin {
    /// The parent of the request's span: that of ``traceparent``, or else the span of the calling task.
    fileprivate var parent: SpanContext {
        let remote = remoteParent
        return remote.isNone ? OperationContext.currentSpan : remote
    }
}

/// The shorter limit, or the earlier deadline; nil if there is none.
private func shorter<T: Comparable>(_ one: T?, _ other: T?) -> T? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}

extension HandlerRun {
    private func validate(_ request: Request, _ call: RequestCall) throws {
        guard validates else { return }
        do {
            try request.validate()
        } catch {
            refuse(caseIndex: call.caseIndex, error)
            throw error
        }
    }

    /// Takes a place of the bulkhead as soon as it has one.
    ///
    /// - Parameter counted: Whether a refusal is counted as one of a request: not for a session.
    private nonisolated(nonsending) func admit(
        _ call: RequestCall,
        counted: Bool,
        _ priority: BulkheadPriority,
        _ bulkhead: Bulkhead?
    ) async throws {
        guard let bulkhead else { return }
        do {
            let waited = try await bulkhead.enter(priority)
            if isOver.load(ordering: .acquiring) {
                bulkhead.leave()
                throw RequestError.closed(component, limits)
            }
            if counted { probe.waited(nanoseconds: waited ? port.clock.now.nanoseconds(since: call.start) : 0) }
        } catch {
            let full = error as? BulkheadFullError
            let refusal =
                full.map { RequestError.full(component, limits, waited: $0.reason == .waitedTooLong) }
                ?? tooLate(call, at: port.clock.now) ?? error
            if counted { notAdmitted(call, refusal) }
            throw refusal
        }
    }

    /// Reports a request that got no place. One whose caller left while it waited is cancelled, and not refused.
    private func notAdmitted(_ call: RequestCall, _ error: any Error) {
        guard ActionOutcome(ofError: error) == .cancelled else { return refuse(caseIndex: call.caseIndex, error) }
        probe.began(caseIndex: call.caseIndex)
        finish(call, at: port.clock.now, nil, error)
    }

    /// Runs `body` no longer than a limit, and cancels it then.
    ///
    /// - Parameter caseIndex: What is reported as refused if the limit is over already; nil for a session.
    private nonisolated(nonsending) func within<R>(
        _ limit: Duration?,
        _ caseIndex: Int?,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard let limit else { return try await body() }
        guard limit > .zero else {
            let late = RequestError.tooLate(component, after: limit)
            if let caseIndex { refuse(caseIndex: caseIndex, late) }
            throw late
        }
        let error = TimeoutError(policy: component.name, limit: limit)
        guard let result = await Timeout.run(before: error, port.clock, body) else {
            throw RequestError.tooLate(component, after: limit)
        }
        return try result.get()
    }
}
