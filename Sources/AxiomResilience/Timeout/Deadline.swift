// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The time limit of one call. It runs the operation, and code inside the operation can see it.
///
/// **The race.** The operation and the timer are two child tasks, so that neither outlives the call. Which of them came
/// first is decided once. The clock dates the end of the operation: an operation that ends at the deadline or later is
/// late, even if the timer fires later still.
///
/// **Visibility.** A deadline ends an operation by cancelling it. A circuit breaker inside would only see a
/// `CancellationError`, as if the caller had given up. The breaker therefore takes a ``DeadlineSnapshot`` when a call
/// begins, and at the end of the call asks the snapshot whether a deadline has expired. The deadlines of a call are a
/// linked list that starts at the task-local `current`, the innermost first.
final class Deadline: Sendable {
    private enum First {
        case ended
        case expired
        /// The task that runs the race was cancelled, and both children with it.
        case cancelled
    }

    @TaskLocal static var current: Deadline?

    /// Whether the process has had a deadline. Breakers look for deadlines only if it has. Relaxed: a call inside a
    /// deadline has seen the store, because the task of the deadline created the task of the call.
    static let areUsed = Atomic<Bool>(false)

    /// The error of the call if the deadline expires.
    let error: TimeoutError
    /// The deadline around this one.
    let outer: Deadline?
    /// How many deadlines are around this one.
    let depth: Int
    private let clock: TimeSource
    private let instant: Instant
    private let first = OneShot<First>()
    /// Whether the deadline has begun to cancel the children. Stored with release before the cancellation, so that an
    /// operation that sees its cancellation also sees this.
    private let hasCancelled = Atomic<Bool>(false)

    init(_ clock: TimeSource, at instant: Instant, error: TimeoutError) {
        self.clock = clock
        self.instant = instant
        self.error = error
        outer = Self.current
        depth = outer.map { $0.depth + 1 } ?? 0
        if !Self.areUsed.load(ordering: .relaxed) { Self.areUsed.store(true, ordering: .relaxed) }
    }

    /// Runs `operation` on `isolation` until it ends or the deadline expires.
    ///
    /// - Returns: The result of the operation; nil if it is late. In both cases the operation has ended.
    func run<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async -> Result<R, any Error>? {
        await withoutActuallyEscaping(operation) { operation in
            await race(isolation: isolation, operation)
        }
    }

    private func race<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) @escaping () async throws -> R
    ) async -> Result<R, any Error>? {
        // Unsafe, because the compiler does not know that the caller's task and the child that runs the operation take
        // turns. They do:
        // - The child uses operation and result only in `perform`, on the actor of the caller if there is one. Neither
        //   leaves the caller's isolation domain.
        // - Without an actor, both belong to the caller's task. That task waits from the start of the child to its end:
        //   it suspends on `first.value`, reads the result only after `ended`, and returns only after the child has
        //   ended, because `async let` waits for its child at the end of the scope.
        // - The timer, which is the other child, uses neither.
        nonisolated(unsafe) let operation = operation
        nonisolated(unsafe) var result: Result<R, any Error>?
        async let ended: Void = Self.$current.withValue(self) {
            await perform(isolation: isolation, operation, &result)
        }
        async let _: Void = runTimer()
        switch await first.value {
        case .expired:
            hasCancelled.store(true, ordering: .releasing)
            // Leaving the scope cancels both children and waits for them.
            return nil
        case .ended, .cancelled:
            await ended
            return result
        }
    }

    /// Runs the operation, in the child task.
    private func perform<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R,
        _ result: inout Result<R, any Error>?
    ) async {
        requireIsolation(isolation)
        do {
            result = .success(try await operation())
        } catch {
            result = .failure(error)
        }
        first.settle(endedInTime ? .ended : .expired)
    }

    /// Waits for the deadline, in the other child task. A short operation may have ended before this task starts; a timer
    /// would then cost more than the rest of the call.
    private func runTimer() async {
        guard first.settled == nil else { return }
        do {
            try await clock.sleep(until: instant)
            first.settle(.expired)
        } catch {
            first.settle(.cancelled)
        }
    }

    /// Read by the child task when the operation ends. Until the race is decided, only the caller can have cancelled the
    /// task, and a call that the caller cancelled has not timed out.
    private var endedInTime: Bool {
        Task.isCancelled || clock.now < instant
    }

    /// Whether the deadline can still expire.
    var isRunning: Bool {
        first.settled == nil && clock.now < instant
    }

    /// Whether the deadline has expired and ends the current task.
    ///
    /// Whichever came first decides: the deadline or a cancellation by the caller. A timer may be late, so the clock
    /// decides until the race is settled. An unstructured task that inherited the deadline is not cancelled by it, and
    /// is not ended by it either.
    var endsTask: Bool {
        switch first.settled {
        case .expired: !hasCancelled.load(ordering: .acquiring) || Task.isCancelled
        case .ended, .cancelled: false
        case nil: !Task.isCancelled && clock.now >= instant
        }
    }
}
