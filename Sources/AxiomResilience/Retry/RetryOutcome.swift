// SPDX-License-Identifier: Apache-2.0

/// How a call through a ``Retry`` ended. More outcomes may be added.
public struct RetryOutcome: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The outcome as a label of a metric, in snake case.
    public let description: String
    let index: Int

    /// The first attempt succeeded.
    public static let successFirst = RetryOutcome(description: "success_first", index: 0)
    /// A later attempt succeeded.
    public static let successRetried = RetryOutcome(description: "success_retried", index: 1)
    /// The last attempt that was allowed failed.
    public static let exhausted = RetryOutcome(description: "exhausted", index: 2)
    /// The total timeout passed, or the next delay would have reached it.
    public static let timedOut = RetryOutcome(description: "timed_out", index: 3)
    /// The ``RetryBudget`` allowed no further attempt.
    public static let budgetRefused = RetryOutcome(description: "budget_refused", index: 4)
    /// The error is not one to retry.
    public static let notRetryable = RetryOutcome(description: "not_retryable", index: 5)
    /// The task was cancelled, or the operation threw `CancellationError`.
    public static let cancelled = RetryOutcome(description: "cancelled", index: 6)

    /// Every outcome, so that each can be a series of a metric from the start.
    public static let allCases: [RetryOutcome] = [
        successFirst, successRetried, exhausted, timedOut, budgetRefused, notRetryable, cancelled,
    ]

    /// Whether the call gave a good result.
    public var isSuccess: Bool { index <= Self.successRetried.index }
}
