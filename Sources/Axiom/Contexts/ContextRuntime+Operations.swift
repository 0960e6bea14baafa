// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ContextRuntime {
    /// Runs an action inside the boundary, in a task of its own. The task is cancelled when the context disappears.
    ///
    /// - Parameter answer: Keeps the answer; nil if the caller does not want it.
    @discardableResult
    func perform<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ answer: ContextAnswer<C.ActionType.Answer>?
    ) async -> OperationEnd {
        // The index is read once, because reflection takes time.
        let operation = reporter?.begin(.action(action.caseIndex), of: context.identity.id, port.clock)
        let recorded = record(action, in: context)
        let end: OperationEnd
        if let (error, ending) = refusal(of: action, by: context) {
            // A refusal ends at the boundary without a recovery.
            _ = await boundary.settle(failure(error, ErrorTrail(), again: nil), by: ending)
            end = OperationEnd(.rejected, error)
        } else {
            func outlives() -> Bool { C.outlivesContext(action) }
            end = await inTask(operation, outlives) { await self.act(action, by: context, operation, answer) }
        }
        recorded?.end(end)
        operation?.end(end, port.clock)
        return end
    }

    /// Why the context does not handle an action, and how that error ends; nil if it handles the action.
    private func refusal<C: Context>(of action: C.ActionType, by context: C) -> (any Error, RecoveryStrategy)? {
        if isForeign(context) { return (CompositionError.sharedScope(descriptor, "\(C.self)"), .surface) }
        if isGone { return (ContextError.disappeared(descriptor), .silent) }
        guard validatesActions else { return nil }
        do {
            try action.validate()
            return nil
        } catch {
            return (error, .surface)
        }
    }

    private func act<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ operation: ContextOperation?,
        _ answer: ContextAnswer<C.ActionType.Answer>?
    ) async -> OperationEnd {
        let known = boundary.count
        var isRefused = false
        var retries: Retries?
        var end = await contain(operation) {
            try await Self.noting(answer) {
                try await gate.guarded(port.clock, isRefused: &isRefused) {
                    try await Self.handle(action, by: context, answer)
                }
            }
        } again: { [weak context, gate, clock = port.clock] in
            let made = Retries()
            retries = made
            return { [weak context, descriptor] in
                let context = try Self.present(context, descriptor)
                var isRefused = false
                defer { if !isRefused { made.haveRun = true } }
                try await Self.noting(answer) {
                    try await gate.guarded(clock, isRefused: &isRefused) {
                        try await Self.handle(action, by: context, answer)
                    }
                }
            }
        }
        if end.outcome == .failure, isRefused, retries?.haveRun != true { end.outcome = .rejected }
        // An error that arrived during the action belongs to another operation and has not been shown yet.
        if end.outcome == .success, boundary.count == known { boundary.dismiss() }
        return end
    }

    /// Handles an action and keeps its answer.
    private static func handle<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ answer: ContextAnswer<C.ActionType.Answer>?
    ) async throws {
        guard let answer else {
            _ = try await context.handle(action)
            return
        }
        answer.value = try await context.handle(action)
    }

    /// Keeps the error of a run, or of a breaker that refuses it, for a recovery that mends it without an answer.
    private static func noting<Value>(_ answer: ContextAnswer<Value>?, _ run: () async throws -> Void) async throws {
        do {
            try await run()
        } catch {
            answer?.error = error
            throw error
        }
    }

    /// The record of the retries of an action. Allocated only for an action that failed.
    @MainActor
    private final class Retries {
        /// Whether at least one retry was admitted, so that the action ran.
        var haveRun = false
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
        _ phase: LifecyclePhase,
        _ context: any Context,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> ActionOutcome {
        let operation = reporter?.begin(.phase(phase), of: context.identity.id, port.clock)
        let tap = supervisor?.quiescence.tap
        tap?.began(phase, of: context)
        defer { tap?.ended(phase, of: context) }
        // The context's disappearance cancels its other operations, but not its last phase.
        let end =
            phase == .disappear
            ? await tell(phase, context, operation, body)
            : await inTask(operation) { await self.tell(phase, context, operation, body) }
        operation?.end(end, port.clock)
        return end.outcome
    }

    private func tell(
        _ phase: LifecyclePhase,
        _ context: any Context,
        _ operation: ContextOperation?,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> OperationEnd {
        await contain(operation) {
            try await within(phase) { try await body(context) }
        } again: { [weak context] in
            { [weak self, weak context, descriptor] in
                let context = try Self.present(context, descriptor)
                try await self?.within(phase) { try await body(context) }
            }
        }
    }

    /// Runs one phase of the life cycle within its limit.
    ///
    /// If `onDisappear()` exceeds its limit, the error goes to the orchestrator's boundary, because the user no longer
    /// sees the context. It is not retried.
    private func within(
        _ phase: LifecyclePhase,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        guard let turn = phase.turn else { return try await body() }
        let limit = port.limit(turn, of: descriptor)
        do {
            try await withLimit(limit, body)
        } catch let error as LifecycleError where phase == .disappear && error.isExpiry(of: limit.subject) {
            guard let supervisor else { throw error }
            _ = await supervisor.settle(supervisor.failure(error, in: descriptor, again: nil))
        }
    }

    /// Runs `body`. Settles the error that it throws and the errors that could not be thrown; one of the latter turns a
    /// success into a failure.
    ///
    /// - Parameters:
    ///   - operation: The operation; nil if it is not observed.
    ///   - again: Creates the closure that runs `body` again. Called only if `body` threw, so that a success allocates
    ///     nothing.
    private func contain(
        _ operation: ContextOperation?,
        _ body: () async throws -> Void,
        again: () -> FailedOperation.Body
    ) async -> OperationEnd {
        let trail = ErrorTrail(collectsFaults: true, operation: operation?.recorded)
        var end = OperationEnd.success
        do {
            try await trail.run(body)
        } catch {
            end = OperationEnd(await settle(error, trail, again: again()), error)
        }
        for fault in trail.takeFaults() {
            let settled = await settle(fault, trail, again: nil)
            if end.outcome == .success { end = OperationEnd(settled, fault) }
        }
        return end
    }

    /// Runs the option that the user chose for an error, inside the boundary.
    @discardableResult
    func contain(_ body: @escaping FailedOperation.Body) async -> ActionOutcome {
        await contain(nil, body, again: { body }).outcome
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

extension LifecyclePhase {
    /// The operation whose limit applies; nil for a phase that does not call the context.
    fileprivate var turn: TurnOperation? {
        switch self {
        case .appear: .appear
        case .disappear: .disappear
        case .background: .background
        case .foreground: .foreground
        case .create, .render: nil
        }
    }
}

/// The answer of an action of a context, for the caller of ``Context/request(_:)``.
@MainActor
final class ContextAnswer<Value: Sendable> {
    /// Nil until a run has succeeded.
    var value: Value?
    /// The error of the last run that failed.
    var error: (any Error)?

    init() {}
}

/// An action that is being recorded.
@MainActor
struct RecordedAction {
    fileprivate let recorder: any ScenarioRecording
    fileprivate let number: Int

    func end(_ end: OperationEnd) {
        recorder.ended(number, end.outcome, end.outcome == .cancelled ? nil : end.error)
    }
}

extension ContextRuntime {
    /// Notes the beginning of an action, if a recording runs and no other operation sent the action: a replay of that
    /// operation sends it again.
    func record<C: Context>(_ action: C.ActionType, in context: C) -> RecordedAction? {
        guard let recorder = port.scenarioRecording, recorder.recording.isOn, ErrorTrail.current == nil else {
            return nil
        }
        return recorder.began(action, in: context).map { RecordedAction(recorder: recorder, number: $0) }
    }
}
