// SPDX-License-Identifier: Apache-2.0

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
            let trail = ErrorTrail(collectsFaults: true, operation: operation?.recorded)
            let started = start(operation) { begin(action, by: context, trail, answer) }
            func outlives() -> Bool { C.outlivesContext(action) }
            if let done = trail.end { end = done } else { end = await finish(started, trail, outlives) }
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

    /// Begins the task of an action. It does everything itself, because each function in between takes a stack frame, and a look
    /// at the executor under a lock.
    private func begin<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ trail: ErrorTrail,
        _ answer: ContextAnswer<C.ActionType.Answer>?
    ) -> Task<OperationEnd, Never> {
        let wasCancelled = Task.isCancelled && !C.outlivesContext(action)
        return Self.startImmediately { @MainActor in
            if wasCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            // Read here, because the task may begin later.
            let known = self.boundary.endedCount
            var (end, retries, isRefused) = (OperationEnd.success, Retries?.none, false)
            do {
                if self.gate.isEmpty, answer == nil, trail.operation?.probe.binding == nil {
                    trail.context.push()
                    defer { OperationContext.pop() }
                    _ = try await context.handle(action)
                } else {
                    try await self.handle(action, by: context, trail, answer, &isRefused)
                }
            } catch {
                answer?.error = error
                let made = Retries()
                retries = made
                let again = self.repetition(of: action, by: context, made, answer)
                end = OperationEnd(await self.settle(error, trail, again: again), error)
            }
            let faults = trail.takeFaults()
            if !faults.isEmpty { end = await self.settle(faults, trail, after: end) }
            if end.outcome == .failure, isRefused, retries?.haveRun != true { end.outcome = .rejected }
            // An error that arrived during the action belongs to another operation and has not been shown yet.
            let boundary = self.boundary
            if end.outcome == .success, boundary.isShowing, boundary.endedCount == known { boundary.dismiss() }
            trail.end = end
            return end
        }
    }

    /// Handles an action that circuit breakers have to admit, whose answer is kept, or in whose span other values are bound.
    private func handle<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ trail: ErrorTrail,
        _ answer: ContextAnswer<C.ActionType.Answer>?,
        _ isRefused: inout Bool
    ) async throws {
        func guarded() async throws {
            try await gate.guarded(port.clock, isRefused: &isRefused) {
                try await Self.handle(action, by: context, answer)
            }
        }
        guard trail.operation?.probe.binding == nil else { return try await trail.run(guarded) }
        trail.context.push()
        defer { OperationContext.pop() }
        try await guarded()
    }

    /// Runs an action again that has failed. Made only then, because it holds a weak reference.
    private func repetition<C: Context>(
        of action: C.ActionType,
        by context: C,
        _ retries: Retries,
        _ answer: ContextAnswer<C.ActionType.Answer>?
    ) -> FailedOperation.Body {
        { [weak context, descriptor, gate, clock = port.clock] in
            let context = try Self.present(context, descriptor)
            var isRefused = false
            defer { if !isRefused { retries.haveRun = true } }
            do {
                try await gate.guarded(clock, isRefused: &isRefused) {
                    try await Self.handle(action, by: context, answer)
                }
            } catch {
                answer?.error = error
                throw error
            }
        }
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

    /// The record of the retries of an action. Allocated only for an action that failed.
    @MainActor
    private final class Retries {
        /// Whether at least one retry was admitted, so that the action ran.
        var haveRun = false
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
