// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The heat maps: of all calls, and of the components that are called most.
struct HeatMaps: Sendable {
    struct Map: Sendable {
        /// nil for all calls.
        let component: Int?
        var fine = TimeRing<LatencyColumn>(step: 10, capacity: 90)
        var coarse = TimeRing<LatencyColumn>(step: 960, capacity: 90)
        /// The totals with which the present column of each ring began.
        var fineBase = ExponentialHistogramData.empty
        var coarseBase = ExponentialHistogramData.empty
    }

    /// The most components with a heat map of their own. 16 take 400 kB.
    static let capacity = 16

    private(set) var maps: [Int: Map] = [0: Map(component: nil)]
    private var nextID = 1

    /// The ids of the heat maps, that of all calls first.
    var ids: [Int] { maps.keys.sorted() }

    /// Records the totals of one moment.
    ///
    /// - Parameter totals: The durations of one component, or of all for nil.
    mutating func record(at: Double, _ totals: (Int?) -> ExponentialHistogramData) {
        for id in maps.keys {
            guard var map = maps[id] else { continue }
            let now = totals(map.component)
            Self.record(now, at, &map.fine, &map.fineBase)
            Self.record(now, at, &map.coarse, &map.coarseBase)
            maps[id] = map
        }
    }

    private static func record(
        _ now: ExponentialHistogramData,
        _ at: Double,
        _ ring: inout TimeRing<LatencyColumn>,
        _ base: inout ExponentialHistogramData
    ) {
        // A step ends with the moment that begins the next one.
        let start = ((at - 1) / ring.step).rounded(.down) * ring.step
        ring.put(LatencyColumn(now.subtracting(base)), at: start)
        if at >= start + ring.step { base = now }
    }

    /// Gives the busiest components heat maps: free ones, and those of components with less than half as many calls.
    ///
    /// - Parameter calls: Of each component, in the last minute.
    mutating func choose(_ calls: [Int: UInt64], _ totals: (Int) -> ExponentialHistogramData) {
        let mapped = Set(maps.values.compactMap(\.component))
        let candidates = calls.filter { $0.value > 0 && !mapped.contains($0.key) }.sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        for (component, count) in candidates {
            if maps.count > Self.capacity {
                let least = maps.filter { $0.value.component != nil }.min {
                    (calls[$0.value.component ?? 0] ?? 0, $1.key) < (calls[$1.value.component ?? 0] ?? 0, $0.key)
                }
                guard let least, 2 * (calls[least.value.component ?? 0] ?? 0) < count else { return }
                maps[least.key] = nil
            }
            var map = Map(component: component)
            map.fineBase = totals(component)
            map.coarseBase = map.fineBase
            maps[nextID] = map
            nextID += 1
        }
    }
}

/// How long the calls of one step of time took: a column of the heat map, and its percentiles.
struct LatencyColumn: Sendable, Hashable {
    /// Those of ``CoarseBuckets/latency``; none without calls.
    let counts: [UInt32]
    /// p50, p90 and p99 in seconds; NaN without calls.
    let quantiles: SIMD4<Float>

    /// - Parameter durations: In this step alone, in seconds.
    init(_ durations: ExponentialHistogramData) {
        let counts = CoarseBuckets.latency.counts(of: durations)
        self.counts = durations.count == 0 ? [] : counts.map { UInt32(clamping: $0) }
        let quantiles = [0.5, 0.9, 0.99].map { durations.estimate($0).map { Float($0.significant()) } ?? .nan }
        self.quantiles = SIMD4(quantiles[0], quantiles[1], quantiles[2], .nan)
    }

    /// The calls in it.
    var total: UInt64 { counts.reduce(0) { $0 + UInt64($1) } }

    /// `p50,p90,p99,[counts]`
    func write(to json: inout JSONText) {
        for index in 0..<3 {
            json.number(quantiles[index])
            json.comma()
        }
        json.list(counts) { $0.integer($1) }
    }
}

extension TimeRing where Element == LatencyColumn {
    func write(to json: inout JSONText) {
        let columns = values
        write(to: &json, start: start) { json in
            for (index, name) in ["p50", "p90", "p99"].enumerated() {
                json.member(name) { json in json.list(columns) { $0.number($1?.quantiles[index] ?? .nan) } }
            }
            json.member("counts") { json in
                json.list(columns) { json, column in
                    guard let column else { return json.raw("null" as StaticString) }
                    json.list(column.counts) { $0.integer($1) }
                }
            }
        }
    }
}

/// The few buckets in which the page draws a distribution. Their bounds are powers of two, so each exponential bucket is in
/// exactly one of them.
struct CoarseBuckets: Sendable {
    /// Of the heat maps: 8 µs, 15 µs, 31 µs … 32 s.
    static let latency = CoarseBuckets(-17, through: 5, by: 1)
    /// Of the lifetimes of instances: 1 ms, 4 ms, 16 ms … 3 days.
    static let lifetime = CoarseBuckets(-10, through: 18, by: 2)

    /// The upper bounds of the buckets but for the last, in seconds.
    let bounds: [Double]
    private let first: Int
    private let step: Int

    private init(_ first: Int, through last: Int, by step: Int) {
        (self.first, self.step) = (first, step)
        bounds = stride(from: first, through: last, by: step).map {
            Double(sign: .plus, exponent: $0, significand: 1)
        }
    }

    /// A count for each of ``bounds``, and the last for what is beyond.
    func counts(of data: ExponentialHistogramData) -> [UInt64] {
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        counts[0] = data.zeroCount
        for index in data.positive.indices {
            // The exponent of the bound of the bucket of schema 0. A histogram of 160 buckets has no coarser schema.
            let exponent = ExponentialScale.coarsened(index, by: max(0, data.schema))
            let position = max(0, exponent - first + step - 1) / step
            counts[min(position, bounds.count)] &+= data.positive[index]
        }
        return counts
    }
}
