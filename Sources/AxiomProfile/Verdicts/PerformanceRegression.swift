// SPDX-License-Identifier: Apache-2.0

/// A metric whose average grew by more than a threshold.
public struct RegressionWarning: Hashable, Sendable, CustomStringConvertible {
    /// The metric.
    public let metric: MetricType
    /// The average of the baseline, in the metric's unit.
    public let baselineAverage: Double
    /// The present average.
    public let currentAverage: Double
    /// By how much it grew, in percent of the baseline; infinite when that was 0.
    public let regressionPercent: Double

    /// Makes a warning.
    public init(metric: MetricType, baselineAverage: Double, currentAverage: Double, regressionPercent: Double) {
        self.metric = metric
        self.baselineAverage = baselineAverage
        self.currentAverage = currentAverage
        self.regressionPercent = regressionPercent
    }

    /// The warning in words.
    public var description: String {
        let percent = (regressionPercent * 10).rounded() / 10
        return "\(metric) grew by \(percent) %, from \(baselineAverage) to \(currentAverage)"
    }
}

/// The plain comparison of two reports: averages against a threshold, as the specification has it.
///
/// It knows nothing of noise: use it for numbers that have none, such as counts of allocations. For times in a running
/// application there is ``LiveJudge``, for pairs of runs ``PairedComparison``.
public struct PerformanceRegression {
    /// The metrics of both reports whose average grew by more than `threshold`, in the order of their names. A metric
    /// that only one report has, or that was 0 and still is, gives no warning; one that was 0 and is not any more does.
    ///
    /// - Parameter threshold: The relative growth that is tolerated: 0.1 is 10 %. With NaN everything gives a warning.
    public static func detectRegressions(
        current: PerformanceReport,
        baseline: PerformanceReport,
        threshold: Double = 0.1
    ) -> [RegressionWarning] {
        let names = current.metrics.keys.sorted { $0.rawValue < $1.rawValue }
        return names.compactMap { metric in
            guard let now = current.metrics[metric]?.average, let before = baseline.metrics[metric]?.average,
                let change = RelativeChange(from: before, to: now), change.exceeds(threshold)
            else { return nil }
            return RegressionWarning(
                metric: metric,
                baselineAverage: before,
                currentAverage: now,
                regressionPercent: change.relative * 100
            )
        }
    }
}
