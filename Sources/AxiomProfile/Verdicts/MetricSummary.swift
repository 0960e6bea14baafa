// SPDX-License-Identifier: Apache-2.0

/// The description of one metric's measurements, in their unit.
public struct MetricSummary: Hashable, Sendable {
    /// How many measurements there are.
    public let count: Int
    /// Their mean.
    public let average: Double
    /// Their median.
    public let median: Double
    /// Their 95th percentile.
    public let p95: Double
    /// Their 99th percentile.
    public let p99: Double

    /// Takes the numbers as they are.
    public init(count: Int, average: Double, median: Double, p95: Double, p99: Double) {
        self.count = count
        self.average = average
        self.median = median
        self.p95 = p95
        self.p99 = p99
    }

    /// Describes measurements.
    ///
    /// - Throws: ``ProfileError`` when there are none or one is not finite.
    public init(_ measurements: [Double]) throws(ProfileError) {
        self.init(
            count: measurements.count,
            average: try Statistics.mean(measurements),
            median: try Statistics.median(measurements),
            p95: try Statistics.quantile(0.95, of: measurements),
            p99: try Statistics.quantile(0.99, of: measurements)
        )
    }
}
