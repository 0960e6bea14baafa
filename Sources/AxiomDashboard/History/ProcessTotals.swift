// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import Foundation

/// The name and the number of this process.
enum ProcessIdentity {
    static var pid: Int32 { ProcessInfo.processInfo.processIdentifier }
    static var name: String { ProcessInfo.processInfo.processName }
}

/// The totals of the whole process at one moment, of which the points of the charts are made.
struct ProcessTotals: Sendable {
    var calls: UInt64 = 0
    var rejected: UInt64 = 0
    var errors: UInt64 = 0
    var dropped: UInt64 = 0
    var violations: UInt64 = 0
    /// Everything that was recorded: actions, calls of capabilities, errors, states, components created and destroyed.
    var events: UInt64 = 0
    /// nil before a component is registered.
    var live: UInt64?
    /// The durations of all actions together, in seconds.
    var durations = ExponentialHistogramData.empty
    var vitals = ProcessStatistics.read()

    init() {}

    /// - Parameters:
    ///   - components: The counts of the same moment.
    ///   - actions: The totals of the same moment.
    init(_ readings: Readings, _ components: [CensusRow], _ actions: ActionTotals) {
        var (live, changes) = (UInt64(0), UInt64(0))
        for row in components {
            live += row.created - row.destroyed
            changes += row.created + row.destroyed
        }
        if !components.isEmpty { self.live = live }
        let outcomes = actions.work.reduce(OutcomeCounts()) { $0 + actions.outcomes($1) }
        (calls, rejected) = (outcomes.total, outcomes.rejected)
        errors = readings.errorTotal
        dropped = readings.dropped.reduce(0) { $0 + $1.count }
        violations = readings.violationTotal
        events = changes + actions.outcomes.reduce(0) { $0 + $1.total } + errors + readings.stateUpdates
        durations = actions.durations(of: actions.work)
    }

    /// The point between an earlier moment and this one.
    func point(since before: ProcessTotals, seconds: Double) -> Point {
        var point = Point()
        func rate(_ series: Point.Series, _ path: KeyPath<ProcessTotals, UInt64>) {
            point.set(series, Double(self[keyPath: path] &- before[keyPath: path]) / seconds)
        }
        rate(.calls, \.calls)
        rate(.errors, \.errors)
        rate(.rejected, \.rejected)
        rate(.dropped, \.dropped)
        rate(.violations, \.violations)
        rate(.events, \.events)
        let durations = durations.subtracting(before.durations)
        point.set(.p50, durations.estimate(0.5))
        point.set(.p90, durations.estimate(0.9))
        point.set(.p99, durations.estimate(0.99))
        point.set(.live, live.map { Double($0) })
        point.set(.memory, vitals.residentBytes)
        point.set(.threads, vitals.threads)
        point.set(.cpu, (vitals.cpuSeconds - before.vitals.cpuSeconds) / seconds)
        return point
    }
}

/// What the dashboard itself costs.
struct OwnCost: Sendable {
    var viewers = 0
    /// Bytes of the latest tick.
    var tickBytes = 0
    /// Bytes of the latest snapshot.
    var snapshotBytes = 0
    /// CPU time of the latest sample and tick, in seconds.
    var sampleSeconds: Double?
    /// CPU time of all samples and ticks over the time that has passed, 0...1.
    var share: Double?
}
