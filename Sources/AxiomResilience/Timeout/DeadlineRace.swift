// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// Runs an operation against a deadline, in structured concurrency: nothing that it starts outlives it.
///
/// The operation and the timer are two child tasks. Which of them came first is decided once, under the lock of the
/// race, and an end of the operation is dated by the clock: an operation that ended at the deadline or later is
/// late, however tardy the timer was.
struct DeadlineRace {
    let clock: TimeSource
    let deadline: Instant

    private enum First {
        case ended
        case deadline
        /// The task that runs the race was cancelled, and with it both children.
        case cancelled
    }

    /// The result of the operation; nil when it is late. It has ended either way.
    func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async -> Result<R, any Error>? {
        let first = OneShot<First>()
        async let ended = { () async -> Result<R, any Error> in
            let result = await Result(catching: operation)
            first.settle(endedInTime ? .ended : .deadline)
            return result
        }()
        async let _: Void = {
            do {
                try await clock.sleep(until: deadline)
                first.settle(.deadline)
            } catch {
                first.settle(.cancelled)
            }
        }()
        switch await first.value {
        // Leaving the scope cancels both children and awaits them.
        case .deadline: return nil
        case .ended, .cancelled: return await ended
        }
    }

    /// Asked in the operation's child at its end. Before the race is settled, only the outer task can have cancelled
    /// it, and a call that was cancelled from outside has not timed out.
    private var endedInTime: Bool {
        Task.isCancelled || clock.now < deadline
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
