// SPDX-License-Identifier: Apache-2.0

/// The heat maps: of all calls, and of the components that are called most.
struct LatencyBoard: Sendable {
    /// One heat map.
    struct Subject: Sendable {
        /// nil for all calls.
        let component: Int?
        var fine = TimeRing<LatencyColumn>(step: 10, capacity: 90)
        var coarse = TimeRing<LatencyColumn>(step: 960, capacity: 90)
        /// The totals with which the present column of each ring began.
        var fineBase: [UInt64] = []
        var coarseBase: [UInt64] = []
    }

    /// How many components have a heat map of their own: 16 take 160 kB.
    static let capacity = 16

    private(set) var subjects: [Int: Subject] = [0: Subject(component: nil)]
    private var nextID = 1

    /// The numbers of the heat maps, that of all calls first.
    var ids: [Int] { subjects.keys.sorted() }

    /// Takes in the totals of one moment.
    ///
    /// - Parameters:
    ///   - width: How many counts a column has: what is beyond them is added to the last.
    ///   - totals: The durations of one component, or of all for nil.
    mutating func record(at: Double, bounds: [Double], width: Int, _ totals: (Int?) -> [UInt64]) {
        for id in subjects.keys {
            guard var subject = subjects[id] else { continue }
            let now = totals(subject.component)
            Self.record(now, at, bounds, width, &subject.fine, &subject.fineBase)
            Self.record(now, at, bounds, width, &subject.coarse, &subject.coarseBase)
            subjects[id] = subject
        }
    }

    private static func record(
        _ now: [UInt64],
        _ at: Double,
        _ bounds: [Double],
        _ width: Int,
        _ ring: inout TimeRing<LatencyColumn>,
        _ base: inout [UInt64]
    ) {
        // A step ends with the moment that begins the next one.
        let start = ((at - 1) / ring.step).rounded(.down) * ring.step
        ring.put(LatencyColumn(now.less(base), bounds: bounds, width: width), at: start)
        if at >= start + ring.step { base = now }
    }

    /// Gives the busiest components heat maps: the free ones, and those of components that are called half as often.
    ///
    /// - Parameter calls: Of each component, lately.
    mutating func choose(_ calls: [Int: UInt64], _ totals: (Int) -> [UInt64]) {
        let mapped = Set(subjects.values.compactMap(\.component))
        let candidates = calls.filter { $0.value > 0 && !mapped.contains($0.key) }.sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        for (component, count) in candidates {
            if subjects.count > Self.capacity {
                let least = subjects.filter { $0.value.component != nil }.min {
                    (calls[$0.value.component ?? 0] ?? 0, $1.key) < (calls[$1.value.component ?? 0] ?? 0, $0.key)
                }
                guard let least, 2 * (calls[least.value.component ?? 0] ?? 0) < count else { return }
                subjects[least.key] = nil
            }
            var subject = Subject(component: component)
            subject.fineBase = totals(component)
            subject.coarseBase = subject.fineBase
            subjects[nextID] = subject
            nextID += 1
        }
    }
}
