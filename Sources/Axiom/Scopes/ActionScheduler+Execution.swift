// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension ActionScheduler {
    /// Waits until the call may run, and runs it.
    ///
    /// - Throws: The error of `work`; `CancellationError` if the call was superseded, or cancelled while it waited.
    nonisolated(nonsending) func run(
        _ place: Place,
        _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> ActionType.Answer
    ) async throws -> ActionType.Answer {
        switch place {
        case .interleaved: return try await work()
        case .shared(let key): return try await share(key, work)
        case .serial(let call):
            defer { end(call) }
            try await wait(call)
            guard let turn = call.turn else { return try await work() }
            return try await Turns.$current.bind(turn) { try await work() }
        case .latest(let call):
            defer { end(call) }
            try await wait(call)
            return try await runInTask(call, work)
        }
    }

    /// Gives up the place of a call that will not run.
    func leave(_ place: Place) {
        switch place {
        case .interleaved, .shared: break
        case .serial(let call), .latest(let call): end(call)
        }
    }

    private nonisolated(nonsending) func share(
        _ key: ActionSchedule.Key,
        _ work: @escaping @Sendable () async throws -> ActionType.Answer
    ) async throws -> ActionType.Answer {
        do {
            return try await flights.value(for: key, work)
        } catch let error as LifecycleError where error.code == .waitsForItself {
            port.reportDeadlock(of: component)
            throw error
        }
    }

    private nonisolated(nonsending) func wait(_ call: Call) async throws {
        guard let verdict = call.verdict else { return }
        let timer = call.quietTime.map { time in
            Alarm(after: time, on: port.clock) { [self] in elapsed(call) }
        }
        defer { timer?.cancel() }
        switch await verdict.value(ifCancelled: .cancelled) {
        case .starts: return
        case .superseded: throw Cancellation.onPurpose
        case .cancelled: throw CancellationError()
        }
    }

    /// Runs an action in a task of its own, which a newer action can cancel without cancelling the caller's task.
    private nonisolated(nonsending) func runInTask(
        _ call: Call,
        _ work: @escaping @Sendable () async throws -> ActionType.Answer
    ) async throws -> ActionType.Answer {
        let task = Task(executorPreference: inheritedExecutor) { try await work() }
        let isCancelled = state.withLock { state in
            state.tasks[call.id] = task
            return state.cancelled.remove(call.id) != nil
        }
        if isCancelled { task.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where task.isCancelled {
            throw Cancellation.onPurpose
        }
    }

    private func elapsed(_ call: Call) { apply { $0.elapsed(call.id) } }

    private func end(_ call: Call) {
        apply { $0.end(call.id) }
        state.withLock { state in
            (state.waiting[call.id], state.turns[call.id], state.tasks[call.id]) = (nil, nil, nil)
            state.cancelled.remove(call.id)
        }
        if let turn = call.turn { Turns.end(turn) }
    }

    private func apply(_ event: (inout ActionSchedule) -> ActionSchedule.Effects) {
        let (started, task) = state.withLock { state in
            let effects = event(&state.schedule)
            if let moved = effects.moved, let turn = state.turns[moved.call], let ahead = state.turns[moved.behind] {
                Turns.follow(turn, ahead)
            }
            let started = effects.started.flatMap { state.waiting.removeValue(forKey: $0) }
            return (started, state.task(of: effects.cancelled))
        }
        started?.settle(.starts)
        task?.cancel()
    }
}
