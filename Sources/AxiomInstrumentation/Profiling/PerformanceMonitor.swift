// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import AxiomMetrics

/// Times an application's operations under labels of its own.
///
/// ```swift
/// let catalogue = try await telemetry.performance.measure("catalogue_sync") { try await fetch() }
/// ```
/// A label that is the name of a budget is also checked against it, and shown on the page. The monitor is not an actor:
/// beginning and ending a measurement costs a clock reading and a short lock, but no hop.
public final class PerformanceMonitor: Sendable {
    /// The component that shows the application's own budgets.
    package static let component = "application"

    /// A few numbers that summarize the telemetry; nil for an event that has not happened yet.
    public struct Metrics: Sendable, Hashable {
        /// The mean time from a change of state to its arrival at a subscriber, in seconds.
        public let averageStateUpdateTime: Double?
        /// The mean time from sending an action to its end, in seconds.
        public let averageActionProcessingTime: Double?
        /// The mean time of a transition between routes, in seconds; of the navigation of all flows.
        public let averageNavigationTime: Double?
        /// The resident memory of the process in bytes; nil if the system does not provide it.
        public let memoryFootprint: Int?
    }

    private struct Running {
        var lastID: UInt64 = 0
        var open: Set<UInt64> = []
    }

    private let budgets: BudgetMonitor?
    private let clock: TimeSource
    private let table = DurationTable()
    /// Guarded by its lock.
    private let running = Lock(Running())

    /// Creates a monitor that checks no budgets.
    package convenience init(clock: TimeSource = .live) {
        self.init(nil, clock: clock)
    }

    init(_ budgets: BudgetMonitor?, clock: TimeSource) {
        self.budgets = budgets
        self.clock = clock
    }

    /// Begins a measurement. If it is never ended, it is not recorded and keeps 8 bytes.
    ///
    /// - Parameter label: The name of the operation: one of a few constants. The first 200 have their own rows, the
    ///   others share one.
    public func startMeasurement(label: String) -> MeasurementToken {
        let id = running.withLock { running in
            running.lastID += 1
            running.open.insert(running.lastID)
            return running.lastID
        }
        return MeasurementToken(monitor: ObjectIdentifier(self), id: id, label: label, start: clock.now)
    }

    /// Ends a measurement and records it.
    ///
    /// - Returns: The duration. Nil if the measurement has already ended or belongs to another monitor; then nothing is
    ///   recorded.
    @discardableResult
    public func endMeasurement(_ token: MeasurementToken) -> Duration? {
        let end = clock.now
        guard token.monitor == ObjectIdentifier(self), running.withLock({ $0.open.remove(token.id) }) != nil else {
            return nil
        }
        record(end.nanoseconds(since: token.start), token.label)
        return end.duration(since: token.start)
    }

    /// Runs `operation` in the caller's isolation, and records its duration even if it throws an error.
    ///
    /// - Throws: Errors of `operation`.
    public func measure<R, E: Error>(
        _ label: String,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(E) -> sending R
    ) async throws(E) -> sending R {
        let start = clock.now
        defer { record(clock.now.nanoseconds(since: start), label) }
        return try await operation()
    }

    /// The durations measured so far, by label.
    package var summaries: [String: DurationSummary] { table.summaries }

    /// The numbers of the specification's `PerformanceMetrics`. Cost: the same as ``BudgetMonitor/report``.
    public var metrics: Metrics {
        let report = budgets?.report
        return Metrics(
            averageStateUpdateTime: report?.row(.stateObservation)?.mean,
            averageActionProcessingTime: report?.row(.contextAction)?.mean,
            averageNavigationTime: report?.row(.navigation)?.mean,
            memoryFootprint: ProcessMemory.current?.residentBytes
        )
    }

    private func record(_ nanoseconds: Int64, _ label: String) {
        table.record(nanoseconds, label)
        let id = PerformanceBudget.ID(rawValue: label)
        guard let budgets, budgets.table.budget(id)?.rows.isEmpty == true else { return }
        budgets.meter(id, Self.component)?.record(nanoseconds)
    }
}

/// A measurement in progress. All copies refer to the same measurement, which ends once.
public struct MeasurementToken: Sendable, Hashable {
    /// The monitor that began it; numbers are unique only within one monitor.
    let monitor: ObjectIdentifier
    let id: UInt64
    /// The label of the operation.
    let label: String
    /// The time of its beginning.
    let start: Instant
}
