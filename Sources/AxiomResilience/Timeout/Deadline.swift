// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The time limit of one call. It runs the operation, and code inside the operation can see it.
///
/// **The race.** The operation is a child task, which the deadline can cancel, and which does not outlive the call. It
/// begins in the thread of the caller, and a call that never waits changes no thread. The live clock has one timer for all
/// calls; with a manual clock the timer is a second child. Whether the operation, the timer or the cancellation by the caller
/// came first is decided once. The clock dates the end of the operation: an operation that ends at the deadline or later is
/// late, even if the timer fires later still.
///
/// **Visibility.** A deadline ends an operation by cancelling it. A circuit breaker inside would only see a
/// `CancellationError`, as if the caller had given up. The breaker therefore takes a ``DeadlineSnapshot`` when a call
/// begins, and at the end of the call asks the snapshot whether a deadline has expired. The deadlines of a call are a
/// linked list that starts at the task-local `current`, the innermost first.
final class Deadline: Sendable {
    /// What came first.
    private enum Standing {
        case open
        case ended
        /// The task that runs the race was cancelled, and its children with it.
        case cancelled
        /// The deadline, which is about to cancel the operation.
        case expiring
        case expired
    }

    /// A running task. Unchecked, because other tasks only cancel it, which any task may do while it runs.
    private struct Child: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct Race {
        var standing = Standing.open
        /// The child that runs the operation, from its beginning to its end. It does not end while the standing is
        /// `expiring`, because the deadline is about to cancel it.
        var child: Child?
        var hasEnded = false
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
    /// Tasks are cancelled outside of the lock, because their handlers are code of users.
    private let race = Lock(Race())

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
        // - Without an actor, both belong to the caller's task. The child runs within `addTaskHere`, or while that task waits
        //   for the end of the group. Only then the task reads the result.
        // - The timer uses neither.
        nonisolated(unsafe) let operation = operation
        nonisolated(unsafe) var result: Result<R, any Error>?
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self, isolation: isolation) { group in
                // Before the operation, which may keep this thread until the deadline.
                let entry = startTimer(&group)
                group.addTaskHere {
                    await Self.$current.withValue(self) { await self.perform(isolation: isolation, operation, &result) }
                }
                while !hasEnded, await group.next(isolation: isolation) != nil {}
                if let entry { SharedTimer.live.remove(entry) }
                group.cancelAll()
            }
        } onCancel: {
            race.withLock { if $0.standing == .open { $0.standing = .cancelled } }
        }
        return race.withLock { $0.standing } == .expired ? nil : result
    }

    private var hasEnded: Bool { race.withLock { $0.hasEnded } }

    /// Lets the operation expire when its time has come.
    ///
    /// - Returns: The entry of the shared timer; nil with a manual clock, whose timer is a child task.
    private func startTimer(_ group: inout TaskGroup<Void>) -> SharedTimer.Entry? {
        if !clock.isManual { return SharedTimer.live.add(at: instant) { self.expire() } }
        group.addTask {
            // A short operation may have ended before this task starts.
            guard !self.hasEnded else { return }
            if (try? await self.clock.sleep(until: self.instant)) != nil { self.expire() }
        }
        return nil
    }

    /// Cancels the operation, unless something else came first.
    private func expire() {
        let child = race.withLock { race -> Child? in
            guard race.standing == .open else { return nil }
            race.standing = race.child == nil ? .expired : .expiring
            return race.child
        }
        guard let child else { return }
        child.task.cancel()
        race.withLock { $0.standing = .expired }
    }

    /// Runs the operation, in the child task.
    private func perform<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R,
        _ result: inout Result<R, any Error>?
    ) async {
        requireIsolation(isolation)
        begin()
        do {
            result = .success(try await operation())
        } catch {
            result = .failure(error)
        }
        let isInTime = endedInTime
        // Until the handlers of its cancellation have run.
        while !end(isInTime) { await Task.yield() }
    }

    /// The operation begins, in the child task.
    private func begin() {
        guard let child = withUnsafeCurrentTask(body: { $0.map(Child.init) }) else { return }
        let isLate = race.withLock { race in
            race.child = child
            return race.standing == .expired
        }
        if isLate { child.task.cancel() }
    }

    /// The operation has ended. Returns false if the deadline is about to cancel its task.
    private func end(_ isInTime: Bool) -> Bool {
        race.withLock { race in
            guard race.standing != .expiring else { return false }
            if race.standing == .open { race.standing = isInTime ? .ended : .expired }
            (race.child, race.hasEnded) = (nil, true)
            return true
        }
    }

    /// Read by the child task when the operation ends. Until the race is decided, only the caller can have cancelled the
    /// task, and a call that the caller cancelled has not timed out.
    private var endedInTime: Bool { Task.isCancelled || clock.now < instant }

    /// Whether the current task is the child that runs the operation.
    private var isCurrent: Bool {
        withUnsafeCurrentTask { current in race.withLock { $0.child?.task == current } }
    }

    /// Whether the deadline can still expire.
    var isRunning: Bool { race.withLock { $0.standing } == .open && clock.now < instant }

    /// Whether the deadline has expired and ends the current task.
    ///
    /// Whichever came first decides: the deadline or a cancellation by the caller. A timer may be late, so the clock
    /// decides until the race is settled. An unstructured task that inherited the deadline is not cancelled by it, and
    /// is not ended by it either.
    var endsTask: Bool {
        switch race.withLock({ $0.standing }) {
        case .expiring: Task.isCancelled || isCurrent
        case .expired: Task.isCancelled
        case .ended, .cancelled: false
        case .open: !Task.isCancelled && clock.now >= instant
        }
    }
}

extension TaskGroup {
    /// Adds a child task that begins in the thread of the caller, where the system can do that.
    fileprivate mutating func addTaskHere(_ operation: sending @escaping @isolated(any) () async -> ChildTaskResult) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
            addImmediateTask(operation: operation)
        } else {
            addTask(operation: operation)
        }
    }
}
