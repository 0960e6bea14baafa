// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Runs an operation repeatedly and compares its cost with a budget or an earlier run.
///
/// ```swift
/// let run = try await PerformanceHarness(iterations: 10_000).run { try await client.process(.add(1)) }
/// #expect(run.status(against: clientBudget) == .met)
/// ```
/// For tests and first measurements. If a decision depends on a few percent on a shared machine, compare processes
/// rather than loops in one process.
public struct PerformanceHarness: Sendable {
    /// The number of runs before the measurement.
    let warmup: Int
    /// The number of measured runs.
    let iterations: Int
    private let clock: TimeSource

    /// Makes a harness.
    ///
    /// - Parameters:
    ///   - warmup: The number of runs that are not measured; less than 1 means none.
    ///   - iterations: The number of measured runs. Without any, the result is ``BudgetStatus/notMeasured``.
    ///   - clock: Measures the durations.
    public init(warmup: Int = 10, iterations: Int = 1_000, clock: TimeSource = .live) {
        self.warmup = warmup
        self.iterations = iterations
        self.clock = clock
    }

    /// Runs `operation` in the caller's isolation.
    ///
    /// - Throws: Errors of `operation`; then there is no result.
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

/// The durations of a ``PerformanceHarness``'s runs.
public struct PerformanceRun: Sendable, Hashable {
    /// The duration of each run in nanoseconds, in order.
    public let nanoseconds: [Int64]
    private let sorted: [Int64]

    /// Makes a run from durations that were measured elsewhere, in nanoseconds.
    package init(nanoseconds: [Int64]) {
        self.nanoseconds = nanoseconds
        sorted = nanoseconds.sorted()
    }

    /// The mean in seconds; NaN if there was no run.
    public var mean: Double {
        sorted.reduce(0) { $0 + Double($1) } / Double(sorted.count) / 1e9
    }

    /// The duration of rank `ceil(quantile · n)`, in seconds: exact. NaN if there was no run.
    ///
    /// - Parameter quantile: 0...1; NaN outside.
    public func quantile(_ quantile: Double) -> Double {
        guard !sorted.isEmpty, (0...1).contains(quantile) else { return .nan }
        let rank = max(1, Int((quantile * Double(sorted.count)).rounded(.up)))
        return Double(sorted[rank - 1]) / 1e9
    }

    /// Compares the runs with a budget of time; ``BudgetStatus/notMeasured`` for any other budget.
    public func status(against budget: PerformanceBudget) -> BudgetStatus {
        guard budget.limit.unit == .time else { return .notMeasured }
        let beyond = sorted.count { $0 > budget.limit.value }
        let counts = BudgetCounts(checks: UInt64(sorted.count), violations: UInt64(beyond))
        return BudgetStatus(budget, counts, mean: mean, limit: budget.limit.metricValue)
    }

    /// The increase of the median since an earlier run, as a share of the earlier median: 0.1 is a tenth slower. NaN if
    /// either has no runs. By the specification's threshold, more than 0.1 is a regression.
    public func slowdown(since earlier: PerformanceRun) -> Double {
        quantile(0.5) / earlier.quantile(0.5) - 1
    }
}
