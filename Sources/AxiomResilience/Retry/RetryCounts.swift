// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The end of one attempt, as reported to ``RetryConfiguration/observer``.
public struct RetryEvent: Sendable {
    /// The name of the ``Retry``.
    public let policy: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The error of the attempt; nil if it returned a result.
    public let error: (any Error)?
    /// The wait before the next attempt; nil after the last attempt.
    public let delay: Duration?
    /// How the call ended; nil if another attempt follows.
    public let outcome: RetryOutcome?
}

/// How a call through a ``Retry`` ended. More outcomes may be added.
public struct RetryOutcome: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The outcome as a metric label, in snake case.
    public let description: String
    fileprivate let index: Int

    /// The first attempt succeeded.
    public static let successFirst = RetryOutcome(description: "success_first", index: 0)
    /// A later attempt succeeded.
    public static let successRetried = RetryOutcome(description: "success_retried", index: 1)
    /// The last allowed attempt failed.
    public static let exhausted = RetryOutcome(description: "exhausted", index: 2)
    /// The total timeout expired, or the next delay would have reached it.
    public static let timedOut = RetryOutcome(description: "timed_out", index: 3)
    /// The ``RetryBudget`` refused another attempt.
    public static let budgetRefused = RetryOutcome(description: "budget_refused", index: 4)
    /// The error is not retried.
    public static let notRetryable = RetryOutcome(description: "not_retryable", index: 5)
    /// The task was cancelled, or the operation threw `CancellationError`.
    public static let cancelled = RetryOutcome(description: "cancelled", index: 6)

    /// Every outcome, so that each metric series can exist from the start.
    public static let allCases: [RetryOutcome] = [
        successFirst, successRetried, exhausted, timedOut, budgetRefused, notRetryable, cancelled,
    ]

    /// Whether the call returned a successful result.
    package var isSuccess: Bool { index <= Self.successRetried.index }
}

/// What a ``Retry`` has counted. The counts never decrease.
///
/// The operation has run `calls + retries` times. When no call is in flight, the outcomes add up to `calls`.
public struct RetryCounts: Hashable, Sendable, CustomStringConvertible {
    /// Calls that began. Each makes one first attempt.
    public let calls: Int
    /// Attempts beyond the first of their call.
    public let retries: Int
    fileprivate let outcomes: [Int]

    /// How many calls have ended with `outcome`.
    public subscript(outcome: RetryOutcome) -> Int {
        outcomes[outcome.index]
    }

    /// How many calls have ended.
    package var ended: Int { outcomes.reduce(0, +) }

    /// How many calls have begun and not ended.
    package var inFlight: Int { calls - ended }

    /// The calls, the retries, and the outcomes that have occurred, such as `calls: 50, retries: 12, success_first: 44,
    /// exhausted: 6`.
    public var description: String {
        let occurred = RetryOutcome.allCases.filter { self[$0] > 0 }.map { "\($0): \(self[$0])" }
        return (["calls: \(calls)", "retries: \(retries)"] + occurred).joined(separator: ", ")
    }
}

/// The counters behind ``RetryCounts``. A call that succeeds at the first attempt costs two atomic additions.
///
/// A call is counted in `calls` before any other counter, and the other counters are incremented with release. A reader
/// reads them with acquire and `calls` last. It therefore never sees more outcomes than calls.
final class RetryCounters: Sendable {
    private let calls = Atomic<Int>(0)
    private let retries = Atomic<Int>(0)
    private let successFirst = Atomic<Int>(0)
    private let successRetried = Atomic<Int>(0)
    private let exhausted = Atomic<Int>(0)
    private let timedOut = Atomic<Int>(0)
    private let budgetRefused = Atomic<Int>(0)
    private let notRetryable = Atomic<Int>(0)
    private let cancelled = Atomic<Int>(0)

    var counts: RetryCounts {
        let outcomes = RetryOutcome.allCases.map { outcome in
            withCounter(of: outcome) { $0.load(ordering: .acquiring) }
        }
        let retries = retries.load(ordering: .acquiring)
        return RetryCounts(calls: calls.load(ordering: .acquiring), retries: retries, outcomes: outcomes)
    }

    func begin() {
        calls.wrappingAdd(1, ordering: .relaxed)
    }

    func retry() {
        retries.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    func end(_ outcome: RetryOutcome) {
        withCounter(of: outcome) { _ = $0.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    @inline(__always)
    private func withCounter<T>(of outcome: RetryOutcome, _ body: (borrowing Atomic<Int>) -> T) -> T {
        switch outcome.index {
        case 0: body(successFirst)
        case 1: body(successRetried)
        case 2: body(exhausted)
        case 3: body(timedOut)
        case 4: body(budgetRefused)
        case 5: body(notRetryable)
        default: body(cancelled)
        }
    }
}
