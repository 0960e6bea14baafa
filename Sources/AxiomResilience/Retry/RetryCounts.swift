// SPDX-License-Identifier: Apache-2.0

/// What a ``Retry`` has counted since it was made. Totals never fall.
///
/// The operation has run `calls + retries` times, and the outcomes sum up to `calls` when no call is in flight.
public struct RetryCounts: Hashable, Sendable, CustomStringConvertible {
    /// Calls begun; each makes one first attempt.
    public let calls: Int
    /// Attempts beyond the first of their call.
    public let retries: Int
    private let outcomes: [Int]

    init(calls: Int, retries: Int, outcomes: [Int]) {
        self.calls = calls
        self.retries = retries
        self.outcomes = outcomes
    }

    /// How many calls have ended with `outcome`.
    public subscript(outcome: RetryOutcome) -> Int {
        outcomes[outcome.index]
    }

    /// How many calls have ended.
    public var ended: Int { outcomes.reduce(0, +) }

    /// How many calls have begun and not ended.
    public var inFlight: Int { calls - ended }

    /// The calls, the retries, and the outcomes that have occurred, by name: `calls: 50, retries: 12, success_first: 44,
    /// exhausted: 6`.
    public var description: String {
        let occurred = RetryOutcome.allCases.filter { self[$0] > 0 }.map { "\($0): \(self[$0])" }
        return (["calls: \(calls)", "retries: \(retries)"] + occurred).joined(separator: ", ")
    }
}
