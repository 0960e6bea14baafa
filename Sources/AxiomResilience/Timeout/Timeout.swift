// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// Limits how long a call may take.
///
/// When the limit expires, the timeout cancels the operation, *waits for it to end*, and throws ``TimeoutError``. The
/// operation runs in a child task, so no task outlives the call. A timeout is therefore only as fast as the operation's
/// response to cancellation: an operation that ignores cancellation keeps the call waiting until it ends, and its result
/// is discarded. Swift cannot end a task by force. Give blocking calls a limit of their own, such as a socket timeout.
///
/// A call is late if the operation ends at the limit or later, by the clock. A result one nanosecond earlier is returned.
/// If the caller's task is cancelled before the limit, that is no timeout: the call returns or throws what the operation
/// returns or throws.
///
/// A circuit breaker inside sees the limit. A call that it admitted before the limit and that ends after the limit counts
/// as a ``TimeoutError``, whatever the operation returned or threw. A call that the caller cancelled first counts as
/// cancelled.
///
/// A call costs a child task and an entry of a timer that all calls share, less than 8 µs. The operation begins in the
/// thread of its caller, or on the caller's actor. On the live clock the limit cancels it from another task: the handlers of its
/// cancellation do not see the caller's task-local values.
public final class Timeout: ResilienceStrategy, DescribedStrategy {
    /// The name, for errors and metrics.
    package let name: String
    /// How long a call may take.
    package let limit: Duration
    private let clock: TimeSource
    private let calls = Atomic<Int>(0)
    private let timeouts = Atomic<Int>(0)

    /// Creates a timeout.
    ///
    /// - Throws: ``ResilienceError`` if the name is empty or the limit is not longer than zero.
    public init(
        _ name: String,
        _ limit: Duration,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        let check = SettingCheck(subject: "Timeout \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        try check.require(limit > .zero, "the limit", limit, "it has to be longer than zero")
        self.name = name
        self.limit = limit
        self.clock = clock
    }

    /// The calls and timeouts so far.
    package var counts: TimeoutCounts {
        // A call is counted before its timeout. Reading the timeouts first never yields more timeouts than calls.
        let timeouts = timeouts.load(ordering: .acquiring)
        return TimeoutCounts(calls: calls.load(ordering: .acquiring), timeouts: timeouts)
    }

    package var kind: StrategyKind { .timeout }

    package var outline: String { "Timeout \"\(name)\": \(limit)" }

    /// Runs `operation` on the actor of the caller, and cancels it when the limit expires.
    ///
    /// - Throws: ``TimeoutError`` if the limit expired, otherwise the error of the operation.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        calls.wrappingAdd(1, ordering: .relaxed)
        let error = TimeoutError(policy: name, limit: limit)
        let result = await Self.run(before: error, clock, isolation: isolation, operation)
        if let result { return try result.get() }
        timeouts.wrappingAdd(1, ordering: .acquiringAndReleasing)
        throw error
    }

    /// Runs `operation` on the actor of the caller, and cancels it when the limit of `error` expires.
    ///
    /// - Parameter error: What circuit breakers inside see if the limit expires.
    /// - Returns: Nil if the limit expired.
    package static func run<R>(
        before error: TimeoutError,
        _ clock: TimeSource,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async -> Result<R, any Error>? {
        await Deadline(clock, at: clock.now.advanced(by: error.limit), error: error)
            .run(isolation: isolation, operation)
    }
}

/// What a ``Timeout`` has counted. The counts never decrease.
package struct TimeoutCounts: Hashable, Sendable {
    /// Calls that began.
    package let calls: Int
    /// Calls that took too long.
    package let timeouts: Int
}

/// A call took longer than its limit.
public struct TimeoutError: MessageError, Hashable, CustomStringConvertible {
    /// The name of the strategy that set the limit.
    public let policy: String
    /// The limit.
    public let limit: Duration

    /// Creates the error of a call that took too long, for strategies of your own.
    public init(policy: String, limit: Duration) {
        self.policy = policy
        self.limit = limit
    }

    /// The name of the strategy and the limit.
    public var message: String { "\(policy): the call did not end within \(limit)" }
}
