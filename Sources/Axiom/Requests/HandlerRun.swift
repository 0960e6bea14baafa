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
    private let port: InstrumentationPort
    private let probe: any ClientProbe
    /// Nil if nothing records spans.
    private let spans: (any SpanProbe)?
    private let validates = Request.validates
    private let inherited: InheritedValues
    /// Whether the shutdown no longer waits for requests: those that wait for a place do not run.
    let isOver = Atomic(false)

    @MainActor
    init(
        _ handler: Handler,
        _ limits: RequestLimits,
        _ inherited: InheritedValues,
        _ port: InstrumentationPort,
        _ probe: (any ClientProbe)?
    ) {
        (self.handler, self.limits, self.port, self.inherited) = (handler, limits, port, inherited)
        component = handler.identity.descriptor
        boundary = RequestBoundary(component, port)
        self.probe = probe ?? NoCalls.probe
        spans = probe == nil ? nil : port.spanProbe(for: component, actions: Request.caseNames)
    }

    /// Answers a request of an endpoint, as soon as the bulkhead has a place for it.
    func answer(
        _ request: Request,
        from origin: RequestOrigin,
        admittedBy bulkhead: Bulkhead?
    ) async throws -> Request.Answer {
        let start = port.clock.now
        let limit = [origin.timeLimit, Handler.timeLimit(of: request)].compactMap(\.self).min()
        let facts = RequestFacts(values(of: origin, limit, from: start))
        try validate(request)
        return try await within(limit, request) {
            try await self.admit(
                request,
                facts,
                since: start,
                origin.priority ?? Handler.priority(of: request),
                bulkhead
            ) {
                self.probe.waited(nanoseconds: self.port.clock.now.nanoseconds(since: start))
                return try await self.perform(request, facts, under: origin.parent, since: start)
            }
        }
    }

    /// Answers a request of a session, which has its place.
    func answer(_ request: Request, _ facts: RequestFacts, under parent: SpanContext) async throws -> Request.Answer {
        let (start, limit) = (port.clock.now, Handler.timeLimit(of: request))
        var values = facts.values
        if let limit { values.deadline = [start.advanced(by: limit), values.deadline].compactMap(\.self).min() }
        let own = limit == nil ? facts : RequestFacts(values, id: facts.id)
        try validate(request)
        return try await within(limit, request) { try await self.perform(request, own, under: parent, since: start) }
    }

    /// Runs the body of a session, in a task that ``SessionState`` cancels.
    func session<R: Sendable>(
        from origin: RequestOrigin,
        admittedBy bulkhead: Bulkhead?,
        _ sessions: OpenSessions,
        _ body: @escaping @Sendable (borrowing RequestSession<Handler>) async throws -> R
    ) async throws -> R {
        let (state, start) = (SessionState(), port.clock.now)
        let facts = RequestFacts(values(of: origin, origin.timeLimit, from: start))
        return try await within(origin.timeLimit, nil) {
            try await self.admit(nil, facts, since: start, origin.priority ?? .normal, bulkhead) {
                sessions.add(state)
                defer { sessions.remove(state) }
                var context = OperationContext.current
                context.request = facts
                let task = Task(executorPreference: inheritedExecutor) { [context] in
                    try await context.bind(with: nil) {
                        try await body(RequestSession(self, facts, origin.parent, state))
                    }
                }
                state.cancels { task.cancel() }
                return try await self.value(of: task, state)
            }
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
    func refuse(_ request: Request, _ error: any Error) {
        let caseIndex = request.caseIndex
        probe.refused(caseIndex: caseIndex)
        spans?.record(record(caseIndex, since: port.clock.now, 0, .rejected, error))
    }

    private func values(of origin: RequestOrigin, _ limit: Duration?, from start: Instant) -> AppValues {
        var values = origin.values.over(inherited.values.withLock { $0 })
        // Also without a limit: the values of another request have its deadline.
        if limit != nil || values.deadline != nil { values.deadline = limit.map { start.advanced(by: $0) } }
        return values
    }
}

extension RequestOrigin {
    /// The parent of the request's span: that of ``traceparent``, or else the span of the calling task.
    fileprivate var parent: SpanContext {
        let remote = remoteParent
        return remote.isNone ? OperationContext.current.span : remote
    }
}

// MARK: - Admission

extension HandlerRun {
    private func validate(_ request: Request) throws {
        guard validates else { return }
        do {
            try request.validate()
        } catch {
            refuse(request, error)
            throw error
        }
    }

    /// Runs `body` as soon as the bulkhead has a place.
    ///
    /// - Parameter request: What is reported as refused; nil for a session.
    private func admit<R>(
        _ request: Request?,
        _ facts: RequestFacts,
        since start: Instant,
        _ priority: BulkheadPriority,
        _ bulkhead: Bulkhead?,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard let bulkhead else { return try await body() }
        var isAdmitted = false
        do {
            return try await bulkhead.run(priority: priority) {
                if isOver.load(ordering: .acquiring) { throw RequestError.closed(component, limits) }
                isAdmitted = true
                return try await body()
            }
        } catch  where !isAdmitted {
            let full = error as? BulkheadFullError
            let refusal =
                full.map { RequestError.full(component, limits, waited: $0.reason == .waitedTooLong) }
                ?? tooLate(facts, since: start, at: port.clock.now) ?? error
            if let request { notAdmitted(request, refusal, since: start) }
            throw refusal
        }
    }

    /// Reports a request that got no place. One whose caller left while it waited is cancelled, and not refused.
    private func notAdmitted(_ request: Request, _ error: any Error, since start: Instant) {
        guard ActionOutcome(ofError: error) == .cancelled else { return refuse(request, error) }
        let caseIndex = request.caseIndex
        probe.began(caseIndex: caseIndex)
        finish(caseIndex, since: start, at: port.clock.now, nil, error)
    }

    /// Runs `body` no longer than a limit, and cancels it then.
    ///
    /// - Parameter request: What is reported as refused if the limit is over already; nil for a session.
    private func within<R>(
        _ limit: Duration?,
        _ request: Request?,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard let limit else { return try await body() }
        guard limit > .zero else {
            let late = RequestError.tooLate(component, after: limit)
            if let request { refuse(request, late) }
            throw late
        }
        let timeout = try Timeout(component.name, limit, clock: port.clock)
        do {
            return try await timeout.run(body)
        } catch is TimeoutError where timeout.counts.timeouts > 0 {
            throw RequestError.tooLate(component, after: limit)
        }
    }
}

// MARK: - Running

extension HandlerRun {
    /// Runs a request that was admitted, and reports it.
    private func perform(
        _ request: Request,
        _ facts: RequestFacts,
        under parent: SpanContext,
        since start: Instant
    ) async throws -> Request.Answer {
        let caseIndex = request.caseIndex
        probe.began(caseIndex: caseIndex)
        let span = spans?.begin(.request, .action(caseIndex), at: start, under: parent)
        let trail = ErrorTrail()
        var context = OperationContext(trail: trail, span: span?.context ?? .none)
        context.request = facts
        do {
            let answer = try await context.bind(with: spans) { try await run(request, facts, context.span, trail) }
            let end = port.clock.now
            if let late = tooLate(facts, since: start, at: end) { throw boundary.ended(late, trail, context.span) }
            finish(caseIndex, since: start, at: end, span, nil)
            return answer
        } catch {
            finish(caseIndex, since: start, at: port.clock.now, span, error)
            throw error
        }
    }

    /// Runs the handler, and its recovery if it throws.
    private func run(
        _ request: Request,
        _ facts: RequestFacts,
        _ span: SpanContext,
        _ trail: ErrorTrail
    ) async throws -> Request.Answer {
        let start = port.clock.now
        let work = WorkScope(facts, span, port)
        do {
            return try await handler.handle(request, in: work)
        } catch {
            if let late = tooLate(facts, since: start, at: port.clock.now) { throw boundary.ended(late, trail, span) }
            guard ActionOutcome(ofError: error) != .cancelled else { throw error }
            do {
                return try await boundary.recover(from: error, trail, span) {
                    try await handler.recover(request, from: error, in: work)
                }
            } catch let other where ActionOutcome(ofError: other) == .cancelled {
                throw tooLate(facts, since: start, at: port.clock.now).map { boundary.ended($0, trail, span) } ?? other
            }
        }
    }

    /// The error of a request whose deadline has passed; nil if it has not.
    private func tooLate(_ facts: RequestFacts, since start: Instant, at now: Instant) -> RequestError? {
        guard let deadline = facts.values.deadline, now >= deadline else { return nil }
        return .tooLate(component, after: .nanoseconds(deadline.nanoseconds(since: start)))
    }

    private func finish(
        _ caseIndex: Int,
        since start: Instant,
        at end: Instant,
        _ span: OpenSpan?,
        _ error: (any Error)?
    ) {
        let nanoseconds = end.nanoseconds(since: start)
        let outcome = error.map(ActionOutcome.init(ofError:)) ?? .success
        if let span { spans?.end(span, record(caseIndex, since: start, nanoseconds, outcome, error)) }
        probe.ended(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    private func record(
        _ caseIndex: Int,
        since start: Instant,
        _ nanoseconds: Int64,
        _ outcome: ActionOutcome,
        _ error: (any Error)?
    ) -> SpanRecord {
        SpanRecord(
            .request,
            .action(caseIndex),
            instance: handler.identity.id,
            start: start,
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: error
        )
    }
}
