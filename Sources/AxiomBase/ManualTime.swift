// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Time for tests. It moves only when ``advance(by:)`` is called, which wakes every sleeper whose deadline has passed, in
/// the order of the deadlines.
///
/// ```swift
/// let time = ManualTime()
/// async let done: Void = TimeSource.manual(time).sleep(for: .seconds(30))
/// await time.waitForSleepers(1)
/// time.advance(by: .seconds(30))
/// try await done
/// ```
public final class ManualTime: Sendable {
    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        /// The waits of the work that sleeps; nil if no test follows it.
        let waits: TestWaits?
        let continuation: CheckedContinuation<Void, any Error>

        func resume(with result: Result<Void, any Error>) {
            waits?.end()
            continuation.resume(with: result)
        }
    }

    private struct Watcher {
        let sleepers: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Instant
        /// The wall-clock time at the start, in seconds since 1970.
        var epochAtStart: Double
        var nextID: UInt64 = 0
        /// In the order in which they started to wait.
        var sleepers: [Sleeper] = []
        /// Sleeps whose cancellation arrived before the sleeper was stored.
        var cancelledEarly: Set<UInt64> = []
        var watchers: [Watcher] = []
    }

    /// Continuations are resumed outside the lock.
    private let state: Lock<State>
    private let start: Instant

    /// Makes a manual time at `start`.
    ///
    /// - Parameters:
    ///   - start: The first instant; by default nanosecond 0.
    ///   - secondsSinceEpoch: The wall-clock time at `start`, in seconds since 1970.
    public init(start: Instant = Instant(nanoseconds: 0), secondsSinceEpoch: Double = 1_700_000_000) {
        state = Lock(State(now: start, epochAtStart: secondsSinceEpoch))
        self.start = start
    }

    /// The current instant.
    package var now: Instant { state.withLock { $0.now } }

    /// The wall-clock time at ``now``, in seconds since 1970.
    package var secondsSinceEpoch: Double {
        state.withLock { $0.epochAtStart + $0.now.seconds(since: start) }
    }

    /// The number of sleeping tasks.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The deadlines of the sleeping tasks that a test follows, the first one first.
    package var deadlines: [Instant] {
        state.withLock { $0.sleepers.filter { $0.waits != nil }.map(\.deadline).sorted() }
    }

    /// The first deadline of all sleeping tasks; nil if none sleeps.
    package var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves time forward and wakes the sleepers whose deadline has passed. A negative duration has no effect.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = max(state.now, state.now.advanced(by: duration))
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in due { sleeper.resume(with: .success(())) }
    }

    /// Sets the wall clock, as an administrator does: ``now`` and the sleepers stay.
    ///
    /// - Parameter seconds: How far it moves forward; back if negative.
    package func stepWallClock(by seconds: Double) { state.withLock { $0.epochAtStart += seconds } }

    /// Waits until at least `count` tasks sleep, so that the next ``advance(by:)`` reaches them.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Bool in
                if state.sleepers.count >= count { return true }
                state.watchers.append(Watcher(sleepers: count, continuation: continuation))
                return false
            }
            if ready { continuation.resume() }
        }
    }

    func sleep(until deadline: Instant) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        defer { _ = state.withLock { $0.cancelledEarly.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                park(Sleeper(id: id, deadline: deadline, waits: TestWaits.current, continuation: continuation))
                inheritedExecutor?.waitBegan { self.description(ofSleeper: id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func park(_ sleeper: Sleeper) {
        enum Outcome {
            case due
            case cancelled
            case parked([Watcher])
        }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelledEarly.remove(sleeper.id) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let satisfied = state.watchers.filter { $0.sleepers <= count }
            state.watchers.removeAll { $0.sleepers <= count }
            return .parked(satisfied)
        }
        switch outcome {
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .parked(let watchers):
            sleeper.waits?.begin()
            for watcher in watchers { watcher.continuation.resume() }
        }
    }

    /// What a sleeper waits for; nil if it does not sleep.
    private func description(ofSleeper id: UInt64) -> String? {
        state.withLock { state in
            guard let sleeper = state.sleepers.first(where: { $0.id == id }) else { return nil }
            let (deadline, now) = (sleeper.deadline.seconds(since: start), state.now.seconds(since: start))
            return "a sleep until second \(deadline) of a manual time, which is at second \(now)"
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelledEarly.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.resume(with: .failure(CancellationError()))
    }
}

/// The waits of one piece of work that only a test ends: for a ``ManualTime``, or for a simulated capability.
///
/// A test binds it to the task of the work. The tasks that the work begins inherit it, except detached ones. Nothing is
/// bound outside of tests, and then a wait costs one read of a task-local value.
package final class TestWaits: Sendable {
    /// The waits of the work that this task belongs to; nil outside of tests.
    @TaskLocal package static var current: TestWaits?

    private let count = Atomic(0)
    private let parent: TestWaits?
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - parent: The work that waits for this work; it waits whenever this one does.
    ///   - changed: Called when a wait has begun, on any thread.
    package init(parent: TestWaits? = nil, changed: @escaping @Sendable () -> Void) {
        self.parent = parent
        self.changed = changed
    }

    /// Whether the work waits for the test.
    package var isWaiting: Bool { count.load(ordering: .acquiring) > 0 }

    /// A wait has begun: the test can end it.
    package func begin() {
        count.add(1, ordering: .acquiringAndReleasing)
        parent?.begin()
        changed()
    }

    /// The test has ended a wait. Called before the work continues.
    package func end() {
        count.subtract(1, ordering: .acquiringAndReleasing)
        parent?.end()
    }

    /// Runs `body`, and the tasks that it begins, under `waits`; as they are if it is nil.
    package static func bind<R>(_ waits: TestWaits?, _ body: () throws -> R) rethrows -> R {
        guard let waits else { return try body() }
        return try $current.withValue(waits, operation: body)
    }
}
