// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The counters behind ``RetryCounts``: a call that succeeds at once costs two atomic additions.
///
/// A call is counted as begun before anything else is counted of it, and a reader reads the calls last, with acquire
/// and release between, so that nobody sees more endings than calls.
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
            with(outcome) { $0.load(ordering: .acquiring) }
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
        with(outcome) { _ = $0.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    @inline(__always)
    private func with<T>(_ outcome: RetryOutcome, _ body: (borrowing Atomic<Int>) -> T) -> T {
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
