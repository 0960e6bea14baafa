// SPDX-License-Identifier: Apache-2.0

/// The settings of a ``Retry``, checked when it is made.
public struct RetryConfiguration: Sendable {
    /// How often the operation is run at most, the first attempt included. 1 or more; 3 unless told.
    public var maximumAttempts = 3

    /// The wait between attempts: exponential from 100 ms to 10 s with full jitter unless told.
    public var backoff: Backoff = .exponential()

    /// How long one attempt may take; nil, the default, for no limit. An attempt beyond it is cancelled, awaited and
    /// fails with a ``TimeoutError`` of scope ``TimeoutError/Scope/attempt``, which is retried like another error. A
    /// circuit breaker inside judges the attempt as that error.
    public var attemptTimeout: Duration?

    /// How long all attempts and waits may take together; nil, the default, for no limit. An attempt that reaches it
    /// is cancelled, awaited and fails with a ``TimeoutError`` of scope ``TimeoutError/Scope/total``; a wait that would
    /// reach it is not begun, and the call fails with the last error at once.
    public var totalTimeout: Duration?

    /// Bounds the retries of all who share the budget; nil, the default, for no bound.
    public var budget: RetryBudget?

    /// What to do about an error: what it advises itself (``RetryAdvising``), otherwise to retry, unless told.
    /// It is never asked about a `CancellationError`.
    public var onError: @Sendable (any Error) -> RetryDecision = RetryConfiguration.advised

    /// Results that count as failures. The first rule for the result's type decides; without one, a result is good.
    /// When no attempt is left, the last result is returned as it is.
    public var resultRules: [RetryResultRule] = []

    /// Learns of the end of every attempt, on the task that made it; it should be quick. None unless told.
    public var observer: (@Sendable (RetryEvent) -> Void)?

    /// The settings described with each property.
    public init() {}

    /// What the error advises, otherwise to retry: the default of ``onError``, and of use inside another one.
    public static let advised: @Sendable (any Error) -> RetryDecision = { error in
        (error as? any RetryAdvising)?.retryAdvice ?? .retry
    }

    func validate(_ check: SettingCheck) throws {
        try check.require(maximumAttempts >= 1, "maximumAttempts", maximumAttempts, "it has to be 1 or more")
        try backoff.validate(check)
        try check.requirePositive(attemptTimeout, "attemptTimeout")
        try check.requirePositive(totalTimeout, "totalTimeout")
    }
}
