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
    public func record(_ duration: Duration, as metric: String) {
        table.record(duration.clampedNanoseconds, metric)
    }

    /// Count, mean, median, p95 and p99 of each metric.
    public var report: [String: DurationSummary] { table.summaries }
}
