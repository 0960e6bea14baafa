// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

extension PushTarget {
    /// Since when counters and histograms count: the aggregation temporality of OpenTelemetry. Gauges and info metrics always
    /// have their current value. More may be added.
    public struct Temporality: Hashable, Sendable {
        private enum Kind {
            case cumulative
            case delta
            case lowMemory
        }

        private let kind: Kind

        /// Since the series began. Every receiver takes it, and Prometheus takes nothing else by default.
        public static let cumulative = Temporality(kind: .cumulative)
        /// Since the last point of the series.
        public static let delta = Temporality(kind: .delta)
        /// As ``delta``, but the counters of callbacks and collectors are cumulative, so that the receiver needs no earlier
        /// value of them.
        public static let lowMemory = Temporality(kind: .lowMemory)

        /// Whether the points of a family count since the last ones.
        func isDelta(_ family: FamilySnapshot) -> Bool {
            switch family.definition.kind {
            case .histogram: kind != .cumulative
            // Nobody knows when a collected series began.
            case .counter: kind == .delta || kind == .lowMemory && family.first?.created != nil
            default: false
            }
        }

        /// What is kept while the receiver is away. A request of deltas is sent again as it is, with the times of its points,
        /// so that a receiver that took it already recognizes it. The next snapshot then has all increments since.
        var capacity: QueueCapacity { kind == .cumulative ? .latest : .earliest }
    }
}

/// The last point of each series that is counted in deltas.
struct DeltaBase: Sendable {
    /// A series at the end of its last point, in nanoseconds since 1970.
    struct Point: Sendable {
        let series: SeriesSnapshot
        let time: UInt64
    }

    /// The most points of collected series that are kept while these are missing.
    var missingLimit = 10_000
    private var points: [ByteName: [LabelSet: Point]] = [:]

    /// The last point of a series; nil if it has had none.
    func point(of series: SeriesSnapshot, in family: FamilySnapshot) -> Point? {
        points[ByteName(family.definition.name)]?[series.labels]
    }

    /// Takes the points that were written of a snapshot.
    ///
    /// The series of an instrument that is missing was removed, and is forgotten. A collected one may come back with its
    /// whole value, so the latest ``missingLimit`` points of these are kept.
    mutating func advance(to snapshot: Snapshot, at time: UInt64, _ temporality: PushTarget.Temporality) {
        var next: [ByteName: [LabelSet: Point]] = [:]
        for family in snapshot.families where temporality.isDelta(family) {
            var series: [LabelSet: Point] = [:]
            for one in family { series[one.labels] = Point(series: one, time: time) }
            next[ByteName(family.definition.name)] = series
        }
        var missing = points.flatMap { name, series -> [(name: ByteName, point: Point)] in
            let absent = series.values.filter { $0.series.created == nil && next[name]?[$0.series.labels] == nil }
            return absent.map { (name, $0) }
        }
        if missing.count > missingLimit { missing.sort { $0.point.time > $1.point.time } }
        for (name, point) in missing.prefix(missingLimit) { next[name, default: [:]][point.series.labels] = point }
        points = next
    }
}

extension SeriesSnapshot {
    /// Whether this is the same count as an earlier one, and not one that began again at 0.
    func continues(_ earlier: SeriesSnapshot) -> Bool {
        guard created == earlier.created, value >= earlier.value else { return false }
        let (counts, before) = (histogram?.counts ?? [], earlier.histogram?.counts ?? [])
        return counts.count == before.count && zip(counts, before).allSatisfy { $0 >= $1 }
    }
}

extension ExponentialHistogramData {
    /// The observations since an earlier state. The zero bucket may have been widened since.
    func since(_ earlier: ExponentialHistogramData) -> ExponentialHistogramData {
        var earlier = earlier
        earlier.widenZero(to: zeroThreshold)
        return subtracting(earlier)
    }
}
