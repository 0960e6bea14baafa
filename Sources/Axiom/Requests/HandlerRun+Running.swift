// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension HandlerRun {
    /// Runs a request that was admitted, and reports it.
    nonisolated(nonsending) func perform(_ request: Request, _ call: RequestCall) async throws -> Request.Answer {
        probe.began(caseIndex: call.caseIndex)
        let span = spans?.begin(.request, .action(call.caseIndex), at: call.start, under: call.parent)
        let trail = ErrorTrail()
        var context = OperationContext(trail: trail, span: span?.context ?? .none)
        context.request = call.facts
        do {
            let answer = try await context.bindInCaller(with: spans) {
                try await run(request, call, context.span, trail)
            }
            let end = port.clock.now
            if let late = tooLate(call, at: end) {
                throw boundary.ended(late, trail, context.span)
            }
            finish(call, at: end, span, nil)
            return answer
        } catch {
            finish(call, at: port.clock.now, span, error)
            throw error
        }
    }

    /// Runs the handler, and its recovery if it throws.
    private nonisolated(nonsending) func run(
        _ request: Request,
        _ call: RequestCall,
        _ span: SpanContext,
        _ trail: ErrorTrail
    ) async throws -> Request.Answer {
        let work = WorkScope(call.facts, span, port)
        var late: RequestError? { tooLate(call, at: port.clock.now) }
        do {
            return try await handler.handle(request, in: work)
        } catch {
            if let late { throw boundary.ended(late, trail, span) }
            guard ActionOutcome(ofError: error) != .cancelled else { throw error }
            do {
                return try await boundary.recover(from: error, trail, span) {
                    try await handler.recover(request, from: error, in: work)
                }
            } catch let other where ActionOutcome(ofError: other) == .cancelled {
                throw late.map { boundary.ended($0, trail, span) } ?? other
            }
        }
    }

    /// The error of a request whose deadline has passed; nil if it has not.
    func tooLate(_ call: RequestCall, at now: Instant) -> RequestError? {
        guard let deadline = call.facts.values.deadline, now >= deadline else { return nil }
        return .tooLate(component, after: .nanoseconds(deadline.nanoseconds(since: call.start)))
    }

    func finish(_ call: RequestCall, at end: Instant, _ span: OpenSpan?, _ error: (any Error)?) {
        let nanoseconds = end.nanoseconds(since: call.start)
        let outcome = error.map(ActionOutcome.init(ofError:)) ?? .success
        if let span { spans?.end(span, record(call.caseIndex, since: call.start, nanoseconds, outcome, error)) }
        probe.ended(caseIndex: call.caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    func record(
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
