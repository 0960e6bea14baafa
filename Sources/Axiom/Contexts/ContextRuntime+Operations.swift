// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ContextRuntime {
    /// Runs an action inside the boundary, in a task of its own. The task is cancelled when the context disappears.
    ///
    /// - Parameter failure: Keeps the error because of which the action did not succeed, for a caller that throws it.
    @discardableResult
    func perform<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ failure: OperationFailure? = nil
    ) async -> ActionOutcome {
        let start = reporter == nil ? nil : port.clock.now
        // Read once, because reflection takes time.
        let caseIndex = reporter == nil ? 0 : action.caseIndex
        let span = ContextSpan(reporter, .contextAction, .action(caseIndex), at: start, instance: context.identity.id)
        let recorded = record(action, in: context)
        let outcome: ActionOutcome
        if isForeign(context) {
            outcome = await refuse(CompositionError.sharedScope(descriptor, "\(C.self)"), by: .surface, span, failure)
        } else if isGone {
            outcome = await refuse(ContextError.disappeared(descriptor), by: .silent, span, failure)
        } else if supervisor?.keeps(context) == false {
            outcome = await refuse(ContextError.emergencyMode(descriptor), by: .surface, span, failure)
        } else if validatesActions, let error = Self.refusal(of: action) {
            outcome = await refuse(error, by: .surface, span, failure)
        } else {
            func outlives() -> Bool { C.outlivesContext(action) }
            outcome = await inTask(.action(caseIndex), span, outlives) {
                await self.act(action, by: context, span, failure)
            }
        }
        recorded?.end(outcome, at: boundary)
        if let reporter, let start {
            reporter.actionEnded(caseIndex, outcome, since: start, port.clock, span, takeFailure(of: span))
        }
        return outcome
    }

    private func act<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ span: ContextSpan?,
        _ failure: OperationFailure?
    ) async -> ActionOutcome {
        let known = boundary.count
        var isRefused = false
        var retries: Retries?
        let outcome = await contain(span, failure) {
            try await gate.guarded(port.clock, isRefused: &isRefused) { try await context.handle(action) }
        } again: { [weak context, gate, clock = port.clock] in
            let made = Retries()
            retries = made
            return { [weak context, descriptor] in
                let context = try Self.present(context, descriptor)
                var isRefused = false
                defer { if !isRefused { made.haveRun = true } }
                try await gate.guarded(clock, isRefused: &isRefused) { try await context.handle(action) }
            }
        }
        if outcome == .failure, isRefused, retries?.haveRun != true { return .rejected }
        // An error that arrived during the action belongs to another operation and has not been shown yet.
        if outcome == .success, boundary.count == known { boundary.dismiss() }
        return outcome
    }

    /// The record of the retries of an action. Allocated only for an action that failed.
    @MainActor
    private final class Retries {
        /// Whether at least one retry was admitted, so that the action ran.
        var haveRun = false
    }

    /// The error with which the action's own validation refuses it; nil if it accepts it.
    private static func refusal<A: Action>(of action: A) -> (any Error)? {
        do {
            try action.validate()
            return nil
        } catch {
            return error
        }
    }

    /// Refuses an action. The refusal ends at the boundary without a recovery.
    private func refuse(
        _ error: any Error,
        by ending: RecoveryStrategy,
        _ span: ContextSpan?,
        _ failure: OperationFailure?
    ) async -> ActionOutcome {
        note(error, span, failure)
        _ = await boundary.settle(self.failure(error, ErrorTrail(), again: nil), by: ending)
        return .rejected
    }

    /// The context, for an operation that runs again.
    ///
    /// - Throws: ``ContextError`` if it was released or has disappeared.
    static func present<C>(_ context: C?, _ descriptor: ComponentDescriptor) throws -> C {
        guard let context, (context as? any Context)?.runtime.isGone != true else {
            throw ContextError.gone(descriptor)
        }
        return context
    }

    /// Runs one phase of the life cycle inside the boundary.
    @discardableResult
    func run(
        _ call: ContextCall,
        _ context: any Context,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> ActionOutcome {
        let phase = call.phase
        let start = reporter == nil ? nil : port.clock.now
        let name = SpanRecord.Name.text(phase.rawValue)
        let span = ContextSpan(reporter, .lifecyclePhase, name, at: start, instance: context.identity.id)
        let tap = supervisor?.quiescence.tap
        tap?.began(phase, of: context)
        defer { tap?.ended(phase, of: context) }
        // The context's disappearance cancels its other operations, but not its last phase.
        let outcome =
            call == .disappear
            ? await tell(.disappear, context, span, body)
            : await inTask(.phase(phase.rawValue), span) { await self.tell(call, context, span, body) }
        if let reporter, let start {
            reporter.phaseEnded(phase, outcome, since: start, port.clock, span, takeFailure(of: span))
        }
        return outcome
    }

    private func tell(
        _ call: ContextCall,
        _ context: any Context,
        _ span: ContextSpan?,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> ActionOutcome {
        await contain(span) {
            try await within(call) { try await body(context) }
        } again: { [weak context] in
            { [weak self, weak context, descriptor] in
                let context = try Self.present(context, descriptor)
                try await self?.within(call) { try await body(context) }
            }
        }
    }

    /// Runs one phase of the life cycle within its limit.
    ///
    /// If `onDisappear()` exceeds its limit, the error goes to the orchestrator's boundary, because the user no longer
    /// sees the context. It is not retried.
    private func within(
        _ call: ContextCall,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        let limit = port.limit(call.operation, of: descriptor)
        do {
            try await withLimit(limit, body)
        } catch let error as LifecycleError where call == .disappear && error.isExpiry(of: limit.subject) {
            guard let supervisor else { throw error }
            _ = await supervisor.settle(supervisor.failure(error, in: descriptor, again: nil))
        }
    }

    /// Runs `body`. Settles the error that it throws and the errors that could not be thrown; one of the latter turns a
    /// success into a failure.
    ///
    /// - Parameters:
    ///   - span: The span of the operation; nil if it is not recorded.
    ///   - failure: Keeps the error because of which the operation did not succeed.
    ///   - again: Creates the closure that runs `body` again. Called only if `body` threw, so that a success allocates
    ///     nothing.
    @discardableResult
    private func contain(
        _ span: ContextSpan? = nil,
        _ failure: OperationFailure? = nil,
        _ body: () async throws -> Void,
        again: () -> FailedOperation.Body
    ) async -> ActionOutcome {
        let trail = ErrorTrail(collectsFaults: true, operation: span?.operation)
        var outcome = ActionOutcome.success
        do {
            try await trail.run(body)
        } catch {
            note(error, span, failure)
            outcome = await settle(error, trail, again: again())
        }
        for fault in trail.takeFaults() {
            let settled = await settle(fault, trail, again: nil)
            guard outcome == .success, settled != .success else { continue }
            note(fault, span, failure)
            outcome = settled
        }
        return outcome
    }

    /// Keeps the error because of which an operation did not succeed.
    private func note(_ error: any Error, _ span: ContextSpan?, _ failure: OperationFailure?) {
        if let span { failures[span.id] = error }
        failure?.error = error
    }

    /// The error because of which the operation of a span did not succeed. Call it when the operation has ended.
    private func takeFailure(of span: ContextSpan?) -> (any Error)? {
        failures.isEmpty ? nil : span.flatMap { failures.removeValue(forKey: $0.id) }
    }

    /// Runs the option that the user chose for an error, inside the boundary.
    @discardableResult
    func contain(_ body: @escaping FailedOperation.Body) async -> ActionOutcome {
        await contain(nil, nil, body, again: { body })
    }

    /// Reports the duration of an operation that began at `start`.
    func report(_ operation: ComponentOperation, since start: Instant) {
        reporter?.operationEnded(operation, since: start, port.clock)
    }

    /// Reports the duration of a synchronous phase that began at `start`.
    func report(_ phase: LifecyclePhase, since start: Instant) {
        reporter?.phaseEnded(phase, since: start, port.clock, instance: context?.identity.id ?? 0)
    }
}

/// The error because of which an operation did not succeed, for its caller.
@MainActor
final class OperationFailure {
    var error: (any Error)?
}

/// A phase of the life cycle that calls the context.
enum ContextCall {
    case appear
    case disappear
    case background
    case foreground

    var phase: LifecyclePhase {
        switch self {
        case .appear: .appear
        case .disappear: .disappear
        case .background: .background
        case .foreground: .foreground
        }
    }

    /// The operation whose limit applies.
    fileprivate var operation: TurnOperation {
        switch self {
        case .appear: .appear
        case .disappear: .disappear
        case .background: .background
        case .foreground: .foreground
        }
    }
}
