// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How a call through a ``Retry`` ended. The raw values are the label values of metrics.
package enum RetryOutcome: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The first attempt succeeded.
    case successFirst = "success_first"
    /// A later attempt succeeded.
    case successRetried = "success_retried"
    /// The last allowed attempt failed.
    case exhausted
    /// The ``RetryBudget`` refused another attempt.
    case budgetRefused = "budget_refused"
    /// The error is not retried.
    case notRetryable = "not_retryable"
    /// The caller was cancelled, or a deadline around the retry passed.
    case cancelled

    /// The raw value, such as `success_first`.
    package var description: String { rawValue }
}

/// What a ``Retry`` has counted. The counts never decrease.
///
/// The operation has run `calls + retries` times. When no call is in flight, the outcomes add up to `calls`.
package struct RetryCounts: Hashable, Sendable, CustomStringConvertible {
    /// Calls that began. Each makes one first attempt.
    package let calls: Int
    /// Attempts beyond the first of their call.
    package let retries: Int
    fileprivate let outcomes: [RetryOutcome: Int]

    /// How many calls have ended with `outcome`.
    package subscript(outcome: RetryOutcome) -> Int {
        outcomes[outcome] ?? 0
    }

    /// How many calls have ended.
    package var ended: Int { outcomes.values.reduce(0, +) }

    /// How many calls have begun and not ended.
    package var inFlight: Int { calls - ended }

    /// The calls, the retries, and the outcomes that have occurred, such as `calls: 50, retries: 12, success_first: 44,
    /// exhausted: 6`.
    package var description: String {
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
    private let budgetRefused = Atomic<Int>(0)
    private let notRetryable = Atomic<Int>(0)
    private let cancelled = Atomic<Int>(0)

    var counts: RetryCounts {
        var outcomes: [RetryOutcome: Int] = [:]
        for outcome in RetryOutcome.allCases {
            outcomes[outcome] = withCounter(of: outcome) { $0.load(ordering: .acquiring) }
        }
        let retries = retries.load(ordering: .acquiring)
        return RetryCounts(calls: calls.load(ordering: .acquiring), retries: retries, outcomes: outcomes)
    }

    func begin() { calls.wrappingAdd(1, ordering: .relaxed) }

    func retry() { retries.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    func end(_ outcome: RetryOutcome) {
        withCounter(of: outcome) { _ = $0.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    @inline(__always)
    private func withCounter<T>(of outcome: RetryOutcome, _ body: (borrowing Atomic<Int>) -> T) -> T {
        switch outcome {
        case .successFirst: body(successFirst)
        case .successRetried: body(successRetried)
        case .exhausted: body(exhausted)
        case .budgetRefused: body(budgetRefused)
        case .notRetryable: body(notRetryable)
        case .cancelled: body(cancelled)
        }
    }
}
