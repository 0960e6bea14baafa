// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The time limit of one call, which runs an operation and is visible to everything that the operation calls.
///
/// **The race.** The operation and the timer are two child tasks, so nothing that the deadline starts outlives it. Which
/// of them came first is decided once. An end of the operation is dated by the clock: an operation that ended at the
/// deadline or later is late, even if the timer fires later still.
///
/// **What is inside sees it.** A deadline ends an operation by cancelling it, so a circuit breaker inside would see
/// nothing but a `CancellationError`, as when the caller gives up. The breaker therefore takes a ``DeadlineMark`` when a
/// call begins, and asks it at the end of the call whether a deadline has expired meanwhile. The deadlines of a call are
/// a list that starts at the task-local `current`, the innermost first.
final class Deadline: Sendable {
    private enum First {
        case ended
        case expired
        /// The task that runs the race was cancelled, and with it both children.
        case cancelled
    }

    @TaskLocal fileprivate static var current: Deadline?

    /// Whether the program has had a deadline yet. Only then do breakers look for one. Relaxed: a call that runs inside
    /// a deadline has seen the store, because the deadline's task started its own.
    fileprivate static let areUsed = Atomic<Bool>(false)

    /// What the caller gets when the deadline expires.
    let error: TimeoutError
    private let clock: TimeSource
    private let instant: Instant
    private let first = OneShot<First>()
    /// Whether the children are being cancelled because the deadline expired. Stored with release before that, so that
    /// an operation which sees its cancellation sees this too.
    private let hasCancelled = Atomic<Bool>(false)
    fileprivate let outer: Deadline?
    /// How many deadlines are around this one.
    fileprivate let depth: Int

    init(_ clock: TimeSource, at instant: Instant, error: TimeoutError) {
        self.clock = clock
        self.instant = instant
        self.error = error
        outer = Self.current
        depth = outer.map { $0.depth + 1 } ?? 0
        if !Self.areUsed.load(ordering: .relaxed) { Self.areUsed.store(true, ordering: .relaxed) }
    }

    /// Runs `operation` until it ends or the deadline expires.
    ///
    /// - Returns: The result of the operation; nil when it is late. The operation has ended either way.
    func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async -> Result<R, any Error>? {
        async let ended = Self.$current.withValue(self) {
            let result = await Result(catching: operation)
            first.settle(endedInTime ? .ended : .expired)
            return result
        }
        async let _: Void = {
            do {
                try await clock.sleep(until: instant)
                first.settle(.expired)
            } catch {
                first.settle(.cancelled)
            }
        }()
        switch await first.value {
        case .expired:
            hasCancelled.store(true, ordering: .releasing)
            // Leaving the scope cancels both children and awaits them.
            return nil
        case .ended, .cancelled: return await ended
        }
    }

    /// Read in the operation's child at its end. Before the race is settled, only the outer task can have cancelled
    /// it, and a call that was cancelled from outside has not timed out.
    private var endedInTime: Bool {
        Task.isCancelled || clock.now < instant
    }

    /// Whether the deadline can still expire.
    fileprivate var isRunning: Bool {
        first.settled == nil && clock.now < instant
    }

    /// Whether the deadline has expired and ends the current task.
    ///
    /// The first of the two decides, the deadline or a cancellation by the caller. A timer may be late, so while neither
    /// is settled the clock decides. A task of its own, which inherited the deadline and was not cancelled by it, is not
    /// ended by it.
    fileprivate var endsTask: Bool {
        switch first.settled {
        case .expired: !hasCancelled.load(ordering: .acquiring) || Task.isCancelled
        case .ended, .cancelled: false
        case nil: !Task.isCancelled && clock.now >= instant
        }
    }
}

/// The deadlines that ran when a call began: a bit for each, by its depth. Deadlines within more than 15 others have
/// none, and are not seen.
struct DeadlineMark: Equatable, Sendable {
    static let none = DeadlineMark(bits: 0)

    let bits: UInt16

    /// The mark of a call that begins now. Cost: a load, until the program has its first deadline; from then on also
    /// the look-up of a task-local value.
    @inline(__always)
    static var now: DeadlineMark {
        Deadline.areUsed.load(ordering: .relaxed) ? current : .none
    }

    @inline(never)
    private static var current: DeadlineMark {
        var bits: UInt16 = 0
        var next = Deadline.current
        while let deadline = next {
            if deadline.isRunning { bits |= bit(deadline) }
            next = deadline.outer
        }
        return DeadlineMark(bits: bits)
    }

    private static func bit(_ deadline: Deadline) -> UInt16 {
        deadline.depth < 16 ? 1 << UInt16(deadline.depth) : 0
    }

    /// Whether there were none.
    @inline(__always)
    var isNone: Bool { bits == 0 }

    /// Whether one of these deadlines has expired since and ends the current task.
    var hasExpired: Bool { !isNone && expired() != nil }

    /// The error of the innermost of these deadlines that has expired since and ends the current task; nil if none has.
    @inline(never)
    func expired() -> TimeoutError? {
        var next = Deadline.current
        while let deadline = next {
            if bits & Self.bit(deadline) != 0, deadline.endsTask { return deadline.error }
            next = deadline.outer
        }
        return nil
    }
}

extension Result where Failure == any Error, Success: Sendable {
    /// What `body` returns or throws.
    init(catching body: @Sendable () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
