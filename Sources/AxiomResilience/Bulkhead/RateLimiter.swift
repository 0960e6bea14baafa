// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Limits how many calls begin per time.
///
/// ```swift
/// let limiter = try RateLimiter("search", 10, per: .seconds(1))
/// let results = try await limiter.run { try await server.search(text) }
/// ```
///
/// The limiter is a token bucket. It admits `burst` calls at once, and `count` calls per `interval` in the long run. In any
/// period of length t, it admits at most `burst` + `count` × t / `interval` calls. The arithmetic is exact: the rate does not
/// drift, whatever the distances between the calls are. Each decision takes an uncontended lock once and allocates nothing.
///
/// A limiter does not make a call wait. It rejects the call and states after which time the next one is admitted.
public final class RateLimiter: ResilienceStrategy, DescribedStrategy {
    private struct State {
        var bucket: TokenBucket
        var admitted = 0
        var rejected = 0
    }

    /// The name, for errors and metrics.
    package let name: String
    /// How many calls are admitted per interval.
    package let count: Int
    /// The time in which `count` calls are admitted.
    package let interval: Duration
    private let clock: TimeSource
    /// Locked for one decision, never while a call runs.
    private let state: Lock<State>

    /// Creates a limiter that admits `count` calls per `interval`.
    ///
    /// - Parameters:
    ///   - name: The name, for errors.
    ///   - count: The number of calls: 1...1,000,000.
    ///   - interval: The time in which they are admitted: 1 µs...1 h.
    ///   - burst: How many calls are admitted at once after a pause: 1...1,000,000. By default `count`.
    ///   - clock: The clock.
    /// - Throws: ``ResilienceError`` if the name is empty or a value is out of range.
    public init(
        _ name: String,
        _ count: Int,
        per interval: Duration,
        burst: Int? = nil,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let check = SettingCheck(subject: "RateLimiter \"\(name)\"", file: file, line: line)
        let burst = burst ?? count
        let tokens = 1...TokenBucket.mostTokens
        let intervals = TokenBucket.shortestInterval...TokenBucket.longestInterval
        try check.requireName(name)
        try check.require(tokens.contains(count), "count", count, "it has to be in 1...1,000,000")
        try check.require(intervals.contains(interval), "interval", interval, "it has to be in 1 µs...1 h")
        try check.require(tokens.contains(burst), "burst", burst, "it has to be in 1...1,000,000")
        self.name = name
        self.count = count
        self.interval = interval
        self.clock = clock
        state = Lock(State(bucket: TokenBucket(capacity: burst, refill: count, per: interval, at: clock.now)))
    }

    /// Requests one call.
    public func take() -> RateDecision { take(at: clock.now) }

    /// Requests one call at `now`, an instant of the limiter's clock.
    package func take(at now: Instant) -> RateDecision {
        state.withLock { state in
            let decision = state.bucket.take(at: now)
            if decision == .admitted { state.admitted += 1 } else { state.rejected += 1 }
            return decision
        }
    }

    /// How many calls were admitted and rejected, read at one instant. Never decrease.
    package var counts: (admitted: Int, rejected: Int) {
        state.withLock { ($0.admitted, $0.rejected) }
    }

    package var kind: StrategyKind { .rateLimiter }

    package var outline: String { "RateLimiter \"\(name)\": \(count) per \(interval)" }

    /// Runs `operation` on the actor of the caller if it is within the limit.
    ///
    /// - Throws: ``RateLimitError`` if it is beyond the limit, otherwise the error of the operation.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        if case .wait(let wait) = take() { throw RateLimitError(policy: name, retryAfter: wait) }
        return try await operation()
    }
}

/// A ``RateLimiter`` rejected a call. The operation has not run.
public struct RateLimitError: MessageError, Hashable, CustomStringConvertible, RetryAdvising {
    /// The name of the limiter.
    public let policy: String
    /// After which time a call is admitted, if no other call comes first.
    public let retryAfter: Duration

    /// The name and when to try again.
    public var message: String {
        let wait = QuantityFormat.duration(retryAfter.inSeconds) ?? "\(retryAfter)"
        return "\(policy): too many calls; try again in \(wait)"
    }

    /// A retry after ``retryAfter``.
    public var retryAdvice: RetryDecision { .retry(after: retryAfter) }
}
