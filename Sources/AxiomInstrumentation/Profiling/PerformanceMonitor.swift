// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import AxiomMetrics

/// Times what an application does, by labels of its own.
///
/// ```swift
/// let catalogue = try await telemetry.performance.measure("catalogue_sync") { try await fetch() }
/// ```
/// A label that is the name of a budget is checked against it as well, and shown on the page. No actor: to begin and to
/// end a measurement costs a clock reading and a short lock, and no hop.
public final class PerformanceMonitor: Sendable {
    /// The component under which budgets of the application's own are shown.
    public static let component = "application"

    /// What a telemetry has measured, in a few numbers; nil for what has not happened yet.
    public struct Metrics: Sendable, Hashable {
        /// Seconds from a change of state to its arrival at a subscriber, on average.
        public let averageStateUpdateTime: Double?
        /// Seconds from the sending of an action to its end, on average.
        public let averageActionProcessingTime: Double?
        /// Seconds for a transition between routes, on average: nil until there is navigation.
        public let averageNavigationTime: Double?
        /// Resident memory of the process in bytes; nil where the system does not tell.
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

    /// Makes a monitor that checks no budgets. That of an application is ``Telemetry/performance``.
    public convenience init(clock: TimeSource = .live) {
        self.init(nil, clock: clock)
    }

    init(_ budgets: BudgetMonitor?, clock: TimeSource) {
        self.budgets = budgets
        self.clock = clock
    }

    /// Begins a measurement. One that is never ended is never recorded, and keeps 8 bytes.
    ///
    /// - Parameter label: What is measured: one of a few constants. The first 200 have a row of their own, the others
    ///   share one.
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
    /// - Returns: How long it took; nil for one that was ended before or is another monitor's, and then nothing is
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

    /// Runs `operation` where the caller runs, and records how long it took, whether it throws or not.
    ///
    /// - Throws: What `operation` throws.
    public func measure<R, E: Error>(
        _ label: String,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(E) -> sending R
    ) async throws(E) -> sending R {
        let start = clock.now
        defer { record(clock.now.nanoseconds(since: start), label) }
        return try await operation()
    }

    /// What was measured so far, by label.
    public var summaries: [String: DurationSummary] { table.summaries }

    /// The numbers of the specification's `PerformanceMetrics`. Cost: that of ``BudgetMonitor/report``.
    public var metrics: Metrics {
        let report = budgets?.report
        return Metrics(
            averageStateUpdateTime: report?.row(.stateObservation)?.mean,
            averageActionProcessingTime: report?.row(.contextAction)?.mean,
            averageNavigationTime: report?.row("navigation")?.mean,
            memoryFootprint: ProcessMemory.current?.residentBytes
        )
    }

    private func record(_ nanoseconds: Int64, _ label: String) {
        table.record(nanoseconds, label)
        let id = PerformanceBudget.ID(rawValue: label)
        guard let budgets, budgets.book.budget(id)?.rows.isEmpty == true else { return }
        budgets.meter(id, Self.component)?.record(nanoseconds)
    }
}

/// A measurement that was begun. Copies are the same measurement, which ends once.
public struct MeasurementToken: Sendable, Hashable {
    /// Of the monitor that began it; numbers are unique within one only.
    let monitor: ObjectIdentifier
    let id: UInt64
    /// What is measured.
    public let label: String
    /// When it was begun.
    public let start: Instant
}
