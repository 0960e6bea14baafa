// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// Bounds how long a call may take.
///
/// When the limit passes, the operation is cancelled, *awaited*, and ``TimeoutError`` is thrown. The operation runs in
/// a child task, so no task is left behind, and nothing that it uses is taken away under it. It follows that a timeout
/// is no faster than the operation's answer to cancellation: an operation that ignores it holds the call until it ends
/// by itself, and its late result is dropped. Swift can end no task by force; an operation that blocks has to be
/// given a limit of its own, such as a socket's.
///
/// A call is late when the operation ends at the limit or later by the clock; a result that comes a nanosecond before
/// is returned. When the caller's task is cancelled before that, this is not a timeout: what the operation then
/// returns or throws is passed on.
///
/// A circuit breaker inside sees the limit: a call that it admitted before the limit passed, and that ends after it, is
/// judged as a ``TimeoutError``, whatever it returns or throws. A call that the caller cancels first stays cancelled.
///
/// A call costs two child tasks and a timer, some 15 µs. The runtime holds the memory of a timer, about 700 bytes, until
/// its limit passes, though the call has long returned: 1,000 calls per second with a limit of 30 s hold 20 MB.
public final class Timeout: ResilienceStrategy {
    /// The name that errors and metrics show.
    public let name: String
    /// How long a call may take.
    public let limit: Duration
    private let clock: TimeSource
    private let calls = Atomic<Int>(0)
    private let timeouts = Atomic<Int>(0)

    /// Makes a timeout.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or a limit that is not longer than zero.
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

    /// What was counted since the timeout was made.
    public var counts: TimeoutCounts {
        // The timeouts first: a call is counted before its timeout, so that no more timeouts than calls are seen.
        let timeouts = timeouts.load(ordering: .acquiring)
        return TimeoutCounts(calls: calls.load(ordering: .acquiring), timeouts: timeouts)
    }

    /// ``StrategyKind/timeout``.
    public var kind: StrategyKind { .timeout }

    /// The name and the limit.
    public var outline: String { "Timeout \"\(name)\": \(limit)" }

    /// Runs `operation`, and cancels it when the limit passes.
    ///
    /// - Throws: ``TimeoutError`` when the limit passed, otherwise what the operation throws.
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        calls.wrappingAdd(1, ordering: .relaxed)
        let error = TimeoutError(policy: name, limit: limit)
        let deadline = Deadline(clock, at: clock.now.advanced(by: limit), error: error)
        if let result = await deadline.run(operation) { return try result.get() }
        timeouts.wrappingAdd(1, ordering: .acquiringAndReleasing)
        throw error
    }
}
