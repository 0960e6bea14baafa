// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// What the whole process has done and is at one moment: what the points of the charts are made of.
struct ProcessTotals: Sendable {
    var calls: UInt64 = 0
    var rejected: UInt64 = 0
    var errors: UInt64 = 0
    var dropped: UInt64 = 0
    var violations: UInt64 = 0
    /// Everything that was recorded: actions, errors, states, components made and ended.
    var events: UInt64 = 0
    /// nil where there is no telemetry.
    var live: UInt64?
    /// The buckets of all actions together.
    var durations: [UInt64] = []
    var vitals = ProcessVitals.read()

    /// The point between an earlier moment and this one.
    func point(since before: ProcessTotals, seconds: Double, bounds: [Double]) -> Point {
        var point = Point()
        func rate(_ name: String, _ path: KeyPath<ProcessTotals, UInt64>) {
            point.set(name, Double(self[keyPath: path] &- before[keyPath: path]) / seconds)
        }
        rate("calls", \.calls)
        rate("errors", \.errors)
        rate("rejected", \.rejected)
        rate("dropped", \.dropped)
        rate("violations", \.violations)
        rate("events", \.events)
        let spread = Spread(durations.less(before.durations), bounds: bounds)
        for (name, probability) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            point.set(name, spread.quantile(probability))
        }
        point.set("live", live.map { Double($0) })
        point.set("memory", vitals.residentBytes)
        point.set("threads", vitals.threads)
        point.set("cpu", (vitals.cpuSeconds - before.vitals.cpuSeconds) / seconds)
        return point
    }
}

extension [UInt64] {
    /// Element by element; what is missing in the other counts as 0.
    func less(_ other: [UInt64]) -> [UInt64] {
        enumerated().map { $1 &- (other.indices.contains($0) ? other[$0] : 0) }
    }
}

/// Adds up families of counters of which only the sum is wanted every second.
struct SumReader: Sendable {
    static let names = ["axiom_errors_total", "axiom_telemetry_dropped_total", "axiom_state_updates_total"]

    /// The sums, in the order of the names.
    static func read(_ registry: Registry) -> [UInt64] {
        registry.collect(families: names).map { family in
            guard let family else { return 0 }
            return family.indices.reduce(0) { $0 + UInt64(family.value(at: $1)) }
        }
    }
}
