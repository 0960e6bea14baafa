// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Runs an operation often and holds what it costs against a budget, or against an earlier run.
///
/// ```swift
/// let run = try await PerformanceHarness(iterations: 10_000).run { try await client.process(.add(1)) }
/// #expect(run.status(against: clientBudget) == .met)
/// ```
/// For tests and for a first look. Where a decision hangs on a few percent, on a machine that others use too, compare
/// processes rather than loops of one.
public struct PerformanceHarness: Sendable {
    /// How often the operation runs before anything counts.
    public let warmup: Int
    /// How often it is measured.
    public let iterations: Int
    private let clock: TimeSource

    /// Makes a harness.
    ///
    /// - Parameters:
    ///   - warmup: Runs that do not count; none for less than 1.
    ///   - iterations: Runs that count; the result of none is ``BudgetStatus/notMeasured``.
    ///   - clock: Where durations come from.
    public init(warmup: Int = 10, iterations: Int = 1_000, clock: TimeSource = .live) {
        self.warmup = warmup
        self.iterations = iterations
        self.clock = clock
    }

    /// Runs `operation` where the caller runs.
    ///
    /// - Throws: What `operation` throws; then there is no result.
    public func run<E: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(E) -> Void
    ) async throws(E) -> PerformanceRun {
        for _ in 0..<max(0, warmup) { try await operation() }
        var samples: [Int64] = []
        samples.reserveCapacity(min(max(0, iterations), 1_000_000))
        for _ in 0..<max(0, iterations) {
            let start = clock.now
            try await operation()
            samples.append(clock.now.nanoseconds(since: start))
        }
        return PerformanceRun(nanoseconds: samples)
    }
}

/// What the runs of a ``PerformanceHarness`` cost.
public struct PerformanceRun: Sendable, Hashable {
    /// The duration of each run in nanoseconds, in order.
    public let nanoseconds: [Int64]
    private let sorted: [Int64]

    /// Takes durations that were measured elsewhere, in nanoseconds.
    public init(nanoseconds: [Int64]) {
        self.nanoseconds = nanoseconds
        sorted = nanoseconds.sorted()
    }

    /// In seconds; NaN when there was no run.
    public var mean: Double {
        sorted.reduce(0) { $0 + Double($1) } / Double(sorted.count) / 1e9
    }

    /// The duration of rank `ceil(quantile · n)`, in seconds: exact. NaN when there was no run.
    ///
    /// - Parameter quantile: 0...1; NaN outside.
    public func quantile(_ quantile: Double) -> Double {
        guard !sorted.isEmpty, (0...1).contains(quantile) else { return .nan }
        let rank = max(1, Int((quantile * Double(sorted.count)).rounded(.up)))
        return Double(sorted[rank - 1]) / 1e9
    }

    /// How the runs stand to a budget of time; ``BudgetStatus/notMeasured`` for another.
    public func status(against budget: PerformanceBudget) -> BudgetStatus {
        guard budget.limit.unit == .time else { return .notMeasured }
        let beyond = sorted.count { $0 > budget.limit.value }
        let counts = BudgetCounts(checks: UInt64(sorted.count), violations: UInt64(beyond))
        return BudgetStatus(budget, counts, mean: mean, limit: budget.limit.metricValue)
    }

    /// By how much the median is above that of an earlier run, as a share of it: 0.1 for a tenth slower. NaN when one of
    /// them has no runs. A regression, by the specification's threshold, is more than 0.1.
    public func slowdown(since earlier: PerformanceRun) -> Double {
        quantile(0.5) / earlier.quantile(0.5) - 1
    }
}
