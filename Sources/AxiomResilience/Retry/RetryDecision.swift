// SPDX-License-Identifier: Apache-2.0

/// What is to be done about a failed attempt.
public struct RetryDecision: Hashable, Sendable {
    enum Kind: Hashable {
        case stop
        case retry
        case retryAfter(Duration)
    }

    let kind: Kind

    /// Try no more: another attempt could not help. For a result: it is good.
    public static let stop = RetryDecision(kind: .stop)
    /// Try again after the delay of the ``Backoff``.
    public static let retry = RetryDecision(kind: .retry)

    /// Try again after `delay`, as the server told: it takes the place of the ``Backoff``, cap and jitter included.
    /// Zero and less mean at once.
    public static func retry(after delay: Duration) -> RetryDecision {
        RetryDecision(kind: .retryAfter(delay))
    }
}

/// An error that knows whether another attempt is worthwhile, such as one that carries a server's `Retry-After`.
public protocol RetryAdvising: Error {
    /// What a ``Retry`` does about the error, unless its configuration decides otherwise.
    var retryAdvice: RetryDecision { get }
}
