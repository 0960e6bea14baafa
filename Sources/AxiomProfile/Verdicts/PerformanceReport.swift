// SPDX-License-Identifier: Apache-2.0

/// What is measured, by name. Any name is one.
public struct MetricType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Makes the metric of a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes the metric of a name.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// The name.
    public var description: String { rawValue }
}

/// The metrics of one run.
public struct PerformanceReport: Hashable, Sendable {
    /// The metrics that were measured.
    public var metrics: [MetricType: MetricSummary]

    /// Makes a report.
    public init(metrics: [MetricType: MetricSummary] = [:]) {
        self.metrics = metrics
    }
}
