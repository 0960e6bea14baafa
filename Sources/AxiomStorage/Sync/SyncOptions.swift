// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

/// How a ``SyncEngine`` sends changes.
public struct SyncOptions: Sendable {
    /// How many changes, of different keys, are sent at the same time: 1 to 100. Default: 4.
    public var maximumConcurrentSends = 4
    /// After how many attempts that failed a change is set aside: 1 or more. Default: 10. Failures for which
    /// ``isOutage`` is true do not count, nor do those that arrive while there is no connection, nor those for which the
    /// server says when to try again (``RetryDecision/retry(after:)``).
    public var maximumAttempts = 10
    /// For how long the attempts of a change must have failed before it is set aside: zero or longer. Default: 24 h, so
    /// that an outage which ``isOutage`` does not recognise sets nothing aside on the same day. A wall clock that is set
    /// while the outbox is in use does not change it. Attempts that the server answered, with a conflict, do not wait for
    /// it.
    public var minimumFailureTime = Duration.seconds(86_400)
    /// How long one call of `send` or `resolve` may take; longer than zero. Default: 30 s. Then its task is cancelled. If
    /// it has not ended 5 s later, its place is free for another change, and an ``OfflineError`` says so; the change
    /// waits for its answer.
    public var timeLimit = Duration.seconds(30)
    /// The wait of a change after a failed attempt. Default: exponential from 1 s to 5 min with full jitter. The longest
    /// wait is 1 h.
    public var backoff = Backoff.exponential(base: .seconds(1), cap: .seconds(300))
    /// Decides whether to send a change again after an error. ``RetryDecision/stop`` sets it aside at once, because another
    /// attempt could not help. Default: the advice of the error, otherwise to try again. May be called twice for an error.
    public var onError: @Sendable (any Error) -> RetryDecision = RetryConfiguration.advised
    /// Whether an error means that the server could not be reached, is down or is busy, which is not the fault of a
    /// change. Such a change is sent again until it arrives. Default: ``standardOutage``.
    public var isOutage: @Sendable (any Error) -> Bool = SyncOptions.standardOutage

    /// The default options.
    public init() {}

    /// The default of ``isOutage``: a `NetworkError` without a connection or an answer, or with the status 408, 429, 502,
    /// 503 or 504; a `URLError` and a `POSIXError` of the connection, also as the underlying error of another; a
    /// `TimeoutError`, an open circuit breaker, a bulkhead or a rate limiter that refuses a call, and a capability that
    /// does not work.
    public static let standardOutage: @Sendable (any Error) -> Bool = { Outage.isCause(of: $0) }

    func validate(every interval: Duration) throws(OfflineError) {
        guard interval > .zero else {
            throw .invalid("The interval of a sync engine", interval, "it has to be longer than zero")
        }
        guard (1...100).contains(maximumConcurrentSends) else {
            throw .invalid("maximumConcurrentSends", maximumConcurrentSends, "it has to be 1 to 100")
        }
        guard maximumAttempts >= 1 else { throw .invalid("maximumAttempts", maximumAttempts, "it has to be 1 or more") }
        guard minimumFailureTime >= .zero else {
            throw .invalid("minimumFailureTime", minimumFailureTime, "it has to be zero or longer")
        }
        guard timeLimit > .zero else { throw .invalid("timeLimit", timeLimit, "it has to be longer than zero") }
    }
}
