// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The limit of one wait.
package struct WaitLimit: Sendable {
    package let subject: TurnSubject
    package let name: String
    package let duration: Duration
    package let clock: TimeSource

    package init(_ subject: TurnSubject, name: String, _ duration: Duration, clock: TimeSource) {
        self.subject = subject
        self.name = name
        self.duration = duration
        self.clock = clock
    }

    /// The limit that `limits` sets for the operation of `subject`; unlimited if it sets none.
    package init(_ subject: TurnSubject, _ limits: WaitLimits, clock: TimeSource) {
        let limit = limits.limit(for: subject.operation)
        self.init(subject, name: limit?.name ?? "", limit?.duration ?? WaitLimits.unlimited, clock: clock)
    }

    /// This limit, or that of the shutdown that ends at `deadline`, whichever expires first.
    package func within(shutdownUntil deadline: Instant) -> WaitLimit {
        let rest = Duration.nanoseconds(deadline.nanoseconds(since: clock.now))
        return rest < duration ? WaitLimit(subject, name: "shutdown", max(.zero, rest), clock: clock) : self
    }
}

/// Runs `operation` as a turn and waits for it, but no longer than its limit.
///
/// When the limit expires, the operation is cancelled and abandoned. This function returns even if the operation
/// ignores its cancellation. The turn of an operation that continues stays in the table as abandoned until it ends. If
/// the caller is cancelled, the operation is cancelled too, and this function waits for it until the limit.
///
/// The operation runs in a separate task, which starts immediately. An operation that does not suspend
/// costs that task and two entries in the table of turns. One that suspends also costs a timer.
///
/// - Parameter undo: Runs after an operation that was abandoned but succeeded later.
/// - Throws: ``LifecycleError`` with the code ``ErrorCode/limitExpired``; the error of `operation`.
@MainActor
package func withLimit<R: Sendable>(
    _ limit: WaitLimit,
    _ operation: @escaping @MainActor @Sendable () async throws -> R,
    ifLate undo: (@MainActor @Sendable () async -> Void)? = nil
) async throws -> R {
    let race = LimitRace<R>()
    let turn = Turns.begin(limit.subject, clock: limit.clock)
    let isCancelled = Task.isCancelled
    let body: @MainActor @Sendable () async -> Void = {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        if await race.run(turn, operation) == .late { await undo?() }
    }
    let task: Task<Void, Never>
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
        task = Task.immediate(executorPreference: inheritedExecutor, operation: body)
    } else {
        task = Task.onMainActor(body)
    }
    return try await race.result(of: task, turn, within: limit)
}

/// Runs `operation` as a turn and waits for it, but no longer than its limit; see the overload for the main actor.
///
/// - Throws: ``LifecycleError`` with the code ``ErrorCode/limitExpired``; the error of `operation`.
package func withLimit<R: Sendable>(
    concurrently limit: WaitLimit,
    _ operation: @escaping @Sendable () async throws -> R
) async throws -> R {
    let race = LimitRace<R>()
    let turn = Turns.begin(limit.subject, clock: limit.clock)
    let isCancelled = Task.isCancelled
    let task = Task(executorPreference: inheritedExecutor) {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        _ = await race.run(turn, operation)
    }
    return try await race.result(of: task, turn, within: limit)
}

/// The first of two events: the end of an operation or its limit.
private struct LimitRace<R: Sendable>: Sendable {
    private enum First {
        case ended(Result<R, any Error>)
        case expired
    }

    private let first = OneShot<First>()

    enum Ending {
        case inTime
        /// It succeeded after its limit.
        case late
        case failed
    }

    /// Runs the operation as the code of its turn, in the task of the operation.
    func run(
        _ turn: TurnID,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: @Sendable () async throws -> R
    ) async -> Ending {
        let result: Result<R, any Error>
        do {
            result = .success(try await Turns.run(turn, operation))
        } catch {
            result = .failure(error)
        }
        guard case .success = result else {
            first.settle(.ended(result))
            return .failed
        }
        return first.settle(.ended(result)) ? .inTime : .late
    }

    /// Waits for the first of the two events.
    func result(
        of task: Task<Void, Never>,
        isolation: isolated (any Actor)? = #isolation,
        _ turn: TurnID,
        within limit: WaitLimit
    ) async throws -> R {
        let decided: First
        if let settled = first.settled {
            decided = settled
        } else {
            let timer = Alarm(after: limit.duration, on: limit.clock) { [first] in first.settle(.expired) }
            decided = await withTaskCancellationHandler {
                await first.value
            } onCancel: {
                task.cancel()
            }
            timer.cancel()
        }
        switch decided {
        case .ended(let result): return try result.get()
        case .expired:
            let obstacles = Turns.abandon(turn)
            task.cancel()
            throw LifecycleError.limitExpired(limit.subject, limit.name, limit.duration, waitingFor: obstacles)
        }
    }
}
