// SPDX-License-Identifier: Apache-2.0

/// The end of one attempt, as a ``RetryConfiguration/observer`` learns of it.
public struct RetryEvent: Sendable {
    /// The name of the ``Retry``.
    public let policy: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// What the attempt threw; nil when it gave a result.
    public let error: (any Error)?
    /// The wait before the next attempt; nil when this was the last one.
    public let delay: Duration?
    /// How the call ended; nil when another attempt follows.
    public let outcome: RetryOutcome?
}
