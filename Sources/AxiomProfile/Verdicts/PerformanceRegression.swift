// SPDX-License-Identifier: Apache-2.0

/// The name of what is measured.
public typealias MetricType = String

/// The summary of one metric's measurements, in their unit.
public struct MetricSummary: Hashable, Sendable {
    /// The number of measurements.
    public let count: Int
    /// The mean.
    public let average: Double
    /// The median.
    public let median: Double
    /// The 95th percentile.
    public let p95: Double
    /// The 99th percentile.
    public let p99: Double

    /// Creates a summary of numbers that are known already.
    package init(count: Int, average: Double, median: Double, p95: Double, p99: Double) {
        self.count = count
        self.average = average
        self.median = median
        self.p95 = p95
        self.p99 = p99
    }

    /// Summarizes measurements.
    ///
    /// - Throws: ``ProfileError`` if there are none or one is not finite.
    public init(_ measurements: [Double]) throws(ProfileError) {
        count = measurements.count
        average = try Statistics.mean(measurements)
        median = try Statistics.median(measurements)
        p95 = try Statistics.quantile(0.95, of: measurements)
        p99 = try Statistics.quantile(0.99, of: measurements)
    }
}

/// The metrics of one run.
public struct PerformanceReport: Hashable, Sendable {
    /// The metrics, by name.
    public var metrics: [MetricType: MetricSummary]

    /// Creates a report.
    public init(metrics: [MetricType: MetricSummary] = [:]) {
        self.metrics = metrics
    }
}

/// A metric whose average grew by more than a threshold.
public struct RegressionWarning: Hashable, Sendable, CustomStringConvertible {
    /// The metric.
    public let metric: MetricType
    /// The average in the baseline, in the metric's unit.
    public let baselineAverage: Double
    /// The average now.
    public let currentAverage: Double
    /// The growth in percent of the baseline; infinite if that was 0.
    public let regressionPercent: Double

    /// The metric, its growth and both averages.
    public var description: String {
        let percent = (regressionPercent * 10).rounded() / 10
        return "\(metric) grew by \(percent) %, from \(baselineAverage) to \(currentAverage)"
    }
}

/// Compares the averages of two reports with a threshold, as the specification defines it.
///
/// The comparison ignores noise: use it for numbers that have none, such as counts of allocations. For durations in a
/// running application, record a ``BaselineFile`` and judge against it; for benchmarks, run `axiom-bench --baseline`.
public enum PerformanceRegression {
    /// The metrics of both reports whose average grew by more than `threshold`, in the order of their names.
    ///
    /// A metric that only one report has gives no warning, nor does one that is 0 in both. A metric that was 0 in the
    /// baseline and is not any more gives one.
    ///
    /// - Parameter threshold: The relative growth that is tolerated: 0.1 is 10 %. With NaN every metric gives a warning.
    public static func detectRegressions(
        current: PerformanceReport,
        baseline: PerformanceReport,
        threshold: Double = 0.1
    ) -> [RegressionWarning] {
        current.metrics.sorted { $0.key < $1.key }.compactMap { metric, summary in
            guard let before = baseline.metrics[metric]?.average, before >= 0, summary.average >= 0,
                before + summary.average > 0
            else { return nil }
            let growth = summary.average / before - 1
            // The negation lets a threshold of NaN warn of everything.
            guard !(growth <= threshold) else { return nil }
            return RegressionWarning(
                metric: metric,
                baselineAverage: before,
                currentAverage: summary.average,
                regressionPercent: growth * 100
            )
        }
    }
}
