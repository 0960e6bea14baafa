// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Times operations by the name of a metric, and reports what they come to.
///
/// The counterpart of ``PerformanceMonitor`` for a stretch of a program that somebody looks into: it belongs to no
/// telemetry, checks no budgets, and is thrown away with its numbers.
public final class PerformanceProfiler: Sendable {
    private let clock: TimeSource
    private let table = DurationTable()

    /// Makes a profiler that has measured nothing.
    public init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// Runs `operation` where the caller runs, and records how long it took, whether it throws or not.
    ///
    /// - Parameter metric: One of a few constants: the first 200 have a row of their own, the others share one.
    /// - Throws: What `operation` throws.
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
