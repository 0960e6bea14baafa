// SPDX-License-Identifier: Apache-2.0

/// What a benchmark should be. Goals are shown beside what was measured; they decide no exit code, because a machine
/// may be slow: what got worse is found by comparing with a baseline.
public struct BenchmarkGoal: Hashable, Sendable {
    /// The most that is wanted: times the reference where there is one, in the unit of the benchmark otherwise.
    public let limit: Double
    /// The benchmark of which the time is taken as one; nil to compare the value itself.
    public let reference: String?
    /// The benchmark of which the time is subtracted first.
    public let without: String?
    /// The words of who wants it, as in the specification's table; nil when there are none.
    public let statement: String?

    /// A time of at most `limit` times that of another benchmark of the same run.
    ///
    /// - Parameters:
    ///   - limit: The largest ratio.
    ///   - reference: The identifier of the other benchmark, as `floor/clock.read`.
    ///   - without: The identifier of a benchmark that is subtracted first: what the operation adds to it is judged.
    public static func atMost(_ limit: Double, times reference: String, without: String? = nil) -> BenchmarkGoal {
        BenchmarkGoal(limit: limit, reference: reference, without: without, statement: nil)
    }

    /// A value of at most `limit`, in the unit of the benchmark: nanoseconds for a time.
    public static func atMost(_ limit: Double, _ statement: String? = nil) -> BenchmarkGoal {
        BenchmarkGoal(limit: limit, reference: nil, without: nil, statement: statement)
    }
}
