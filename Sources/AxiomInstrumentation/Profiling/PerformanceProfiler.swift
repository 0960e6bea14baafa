// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Times operations by metric name and reports a summary.
///
/// It is the counterpart of ``PerformanceMonitor`` for the analysis of one part of a program. It belongs to no
/// telemetry, checks no budgets, and is discarded with its numbers.
public final class PerformanceProfiler: Sendable {
    private let clock: TimeSource
    private let table = DurationTable()

    /// Makes an empty profiler.
    public init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// Runs `operation` in the caller's isolation, and records its duration even if it throws an error.
    ///
    /// - Parameter metric: One of a few constants: the first 200 have their own rows, the others share one.
    /// - Throws: Errors of `operation`.
    public func measure<R, E: Error>(
        _ metric: String,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(E) -> sending R
    ) async throws(E) -> sending R {
        let start = clock.now
        defer { table.record(clock.now.nanoseconds(since: start), metric) }
        return try await operation()
    }

    /// Records a duration that was measured elsewhere.
    package func record(_ duration: Duration, as metric: String) {
        table.record(duration.clampedNanoseconds, metric)
    }

    /// Count, mean, median, p95 and p99 of each metric.
    public var report: [String: DurationSummary] { table.summaries }
}

/// Durations by name, as exponential histograms. The number of names is bounded.
final class DurationTable: Sendable {
    /// The maximum number of names. Durations of further names are recorded under ``others``.
    static let nameLimit = 200
    static let others = "_overflow"

    private struct State {
        var histograms: [String: ExponentialHistogramData] = [:]
    }

    /// Guarded by its lock, which is held for one look-up and one addition.
    private let state = Lock(State())

    func record(_ nanoseconds: Int64, _ name: String) {
        state.withLock { state in
            let isKnown = state.histograms[name] != nil || state.histograms.count < Self.nameLimit
            let name = isKnown ? name : Self.others
            state.histograms[name, default: .empty].record(Double(nanoseconds) / 1e9)
            state.histograms[name]?.limitBuckets(to: 160)
        }
    }

    var summaries: [String: DurationSummary] {
        state.withLock { $0.histograms }.mapValues { DurationSummary($0) }
    }
}

/// A summary of the durations of one name, in seconds.
public struct DurationSummary: Sendable, Hashable {
    /// The number of durations.
    public let count: UInt64
    /// Their arithmetic mean.
    public let mean: Double
    /// The median, within ``relativeError`` like the percentiles.
    public let median: Double
    /// The 95th percentile.
    public let p95: Double
    /// The 99th percentile.
    public let p99: Double
    /// The maximum relative difference between a percentile and the duration of its rank.
    package let relativeError: Double

    init(_ data: ExponentialHistogramData) {
        count = data.count
        mean = data.sum / Double(data.count)
        median = data.quantile(0.5)
        p95 = data.quantile(0.95)
        p99 = data.quantile(0.99)
        relativeError = data.relativeError
    }
}
