// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The settings of a ``Retry``. The initializer of the retry checks them.
public struct RetryConfiguration: Sendable {
    /// The maximum number of attempts, including the first: 1 or more. Default: 3.
    public var maximumAttempts = 3

    /// The wait between attempts. Default: exponential from 100 ms to 10 s with full jitter.
    public var backoff: Backoff = .exponential()

    /// The limit for a delay that a server requests with ``RetryDecision/retry(after:)``, more than 0, so that no server can
    /// park a call for a day. Default: 1 hour, as of a circuit breaker.
    public var retryAfterLimit = Self.standardRetryAfterLimit

    /// The maximum random addition to a delay that a server requests, as a share of it, 0...1, so that callers that got the
    /// same answer do not return in the same instant. Default: 0.1. It is also added to ``retryAfterLimit``.
    public var retryAfterJitter = Self.standardRetryAfterJitter

    package static let standardRetryAfterLimit = Duration.seconds(3_600)
    package static let standardRetryAfterJitter = 0.1

    /// Limits the retries of all strategies that share the budget; nil, the default, for no limit.
    public var budget: RetryBudget?

    /// Decides whether to retry after an error. The default is ``advised``. Not called if the caller was
    /// cancelled and the error is a `CancellationError`.
    public var onError: @Sendable (any Error) -> RetryDecision = RetryConfiguration.advised

    /// Creates the default settings.
    public init() {}

    /// The advice of the error if it is ``RetryAdvising``, otherwise to retry: the default of ``onError``.
    public static let advised: @Sendable (any Error) -> RetryDecision = { error in
        (error as? any RetryAdvising)?.retryAdvice ?? .retry
    }

    func validate(_ check: SettingCheck) throws {
        try check.require(maximumAttempts >= 1, "maximumAttempts", maximumAttempts, "it has to be 1 or more")
        try backoff.validate(check)
        let limit = retryAfterLimit
        try check.require(limit > .zero, "retryAfterLimit", limit, "it has to be longer than zero")
        let isShare = (0...1).contains(retryAfterJitter)
        try check.require(isShare, "retryAfterJitter", retryAfterJitter, "it has to be within 0...1")
    }
}

/// What to do after a failed attempt.
public struct RetryDecision: Hashable, Sendable {
    enum Kind: Hashable {
        case stop
        case retry
        case retryAfter(Duration)
    }

    let kind: Kind

    /// Do not retry: another attempt could not help.
    public static let stop = RetryDecision(kind: .stop)
    /// Retry after the delay of the ``Backoff``.
    public static let retry = RetryDecision(kind: .retry)

    /// Retry after `delay`, as requested by the server. It replaces the delay of the ``Backoff``, with limit and jitter of
    /// its own: ``RetryConfiguration/retryAfterLimit`` and ``RetryConfiguration/retryAfterJitter``. Zero or less means at
    /// once.
    public static func retry(after delay: Duration) -> RetryDecision {
        RetryDecision(kind: .retryAfter(delay))
    }

    /// The delay that replaces the one of the ``Backoff``; nil if there is none.
    ///
    /// - Parameters:
    ///   - limit: The longest delay, without jitter.
    ///   - jitter: The maximum random addition, as a share of the delay, 0...1.
    package func requestedDelay(
        limit: Duration = RetryConfiguration.standardRetryAfterLimit,
        jitter: Double = RetryConfiguration.standardRetryAfterJitter,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard case .retryAfter(let requested) = kind else { return nil }
        let delay = max(0, min(requested, limit).clampedNanoseconds)
        let addition = (Double(delay) * Double.random(in: 0...jitter, using: &generator)).rounded(.down)
        return .nanoseconds(delay) + .nanoseconds(Int64(exactly: addition) ?? delay)
    }

    /// The delay with the randomness of the system.
    func requestedDelay(limit: Duration, jitter: Double) -> Duration? {
        // In a box, as in `Backoff`.
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return requestedDelay(limit: limit, jitter: jitter, using: &generator)
    }
}

/// An error that knows whether a retry can help, such as one that carries the `Retry-After` of a server.
public protocol RetryAdvising: Error {
    /// The decision of a ``Retry`` about this error, unless the configuration decides otherwise.
    var retryAdvice: RetryDecision { get }
}
