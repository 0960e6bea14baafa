// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomStatistics

/// Finds what explains why some operations are slow.
///
/// The ordinary operations are the middle half of those that are not slow. Two kinds of features are compared:
/// - A part is the time in a step. It explains the time that slow operations spent there beyond the mean of ordinary ones.
///   It is named only if it grew more than the own work of the operations: if everything is slower, no step is accused. Tested
///   is whether the share of the part in the sum of both is larger in slow operations. The deepest part is named that
///   explains more than half of the excess of the part around it, but retries before what they repeat.
/// - A property explains what would be missing if the operations that have it were as slow as the others. The set of
///   its values is the one that divides the operations best, and each placing of the test chooses its own best set.
///
/// All tests are placement tests of the slow operations, weighted by their excess; the weight is at most four times the
/// median one, so that one outlier decides nothing.
struct ExplanationSearch {
    static let least = (spans: 30, slow: 5, values: 5)
    /// The least share of the excess of a cause, and the false discovery rate.
    static let (floor, level) = (0.25, 0.01)
    private static let mostCauses = 3
    /// The most slow operations of a test; of more, each so many-th one is part of it, and of the others too.
    private static let mostTested = 250

    let features: SpanFeatures
    let threshold: Double
    /// The indices of the slow operations, and of the ordinary ones.
    let slow, ordinary: [Int]
    /// The median of the ordinary durations.
    let typical: Double
    /// Of each operation; 0 of those that are not slow.
    let excess, weights: [Double]
    let total: Double
    /// The indices of the operations of the tests, and how many of them are slow: the first ones.
    let tested: [Int]
    let slowTested: Int

    init(_ features: SpanFeatures, limit: Double?) {
        let seconds = features.seconds
        let ranked = seconds.indices.sorted { (seconds[$0], $0) < (seconds[$1], $1) }
        let threshold = Self.threshold(ranked.map { seconds[$0] }, limit)
        let others = Array(ranked.prefix { seconds[$0] <= threshold })
        let slow = ranked.dropFirst(others.count).sorted()
        let ordinary = Array(others.dropFirst(others.count / 4).dropLast(others.count / 4))
        let typical = Self.median(ordinary.map { seconds[$0] })
        let excess = seconds.map { $0 > threshold ? max(0, $0 - typical) : 0 }
        let mostWeight = 4 * Self.median(slow.map { excess[$0] })
        let step = max(1, (slow.count + Self.mostTested - 1) / Self.mostTested)
        (self.features, self.threshold, self.typical) = (features, threshold, typical)
        (self.slow, self.ordinary, self.excess) = (slow, ordinary, excess)
        total = excess.reduce(0, +)
        weights = excess.map { min($0, mostWeight) }
        slowTested = (slow.count + step - 1) / step
        tested = [slow, others.sorted()].flatMap { group in
            stride(from: 0, to: group.count, by: step).map { group[$0] }
        }
    }

    /// The duration that slow operations exceed: their budget, or as many times the median as that is of the fastest 5 %, if
    /// some do and most do not; else the slowest tenth is slow.
    private static func threshold(_ sorted: [Double], _ limit: Double?) -> Double {
        guard sorted.count >= least.spans else { return .infinity }
        func isExceeded(_ value: Double, by counts: ClosedRange<Int>) -> Bool {
            counts.contains(sorted.count { $0 > value })
        }
        if let limit, isExceeded(limit, by: least.slow...sorted.count - least.slow) { return limit }
        let (median, fast) = (sorted[sorted.count / 2], sorted[sorted.count / 20])
        let spread = fast > 0 ? median * median / fast : median
        let isUsual = isExceeded(spread, by: max(least.slow, sorted.count / 50)...sorted.count / 2)
        return isUsual ? spread : sorted[sorted.count - 1 - max(least.slow, sorted.count / 10)]
    }

    private static func median(_ values: [Double]) -> Double { (try? Statistics.median(values)) ?? 0 }

    /// Why there is nothing to explain; nil if there is something.
    var reason: String? {
        let count = features.seconds.count
        if count < Self.least.spans {
            return "Too few calls: \(count) are known with all that they caused, and \(Self.least.spans) are needed."
        }
        let isClear = slow.count >= Self.least.slow && total >= 0.2 * typical * Double(slow.count) && total > 0
        return isClear ? nil : "No call is much slower than the others."
    }

    // MARK: - Candidates

    /// A feature, and what it explains.
    struct Candidate {
        /// As it is called among what was compared.
        let feature: String
        /// 0 for a part that grew no more than the own work.
        let share: Double
        let statistic: PlacementTest.Statistic
        /// How the cause is named, both of its times, and the slow operations that have it.
        let details: () -> (feature: String, says: String, times: [Double], operations: [Int])
        /// The labels of a property.
        var factor: (Factor, Range<Int>)?
    }

    var candidates: [Candidate] { features.parts.map { candidate($0) } + features.factors.map { candidate($0) } }

    /// The causes among candidates, the one that explains most first. A property counts only for what the properties before
    /// it leave.
    func causes(_ candidates: [Candidate]) -> [Explanation.Cause] {
        // Enough that a single cause can pass: its p-value times the number of tests. What explains too little is one too.
        let test = PlacementTest(placings: max(1_999, 200 * candidates.count), seed: UInt64(slow.count))
        let statistics = candidates.map { $0.share < Self.floor ? nil : $0.statistic }
        let found = test.pValues(of: slowTested, among: tested.count, statistics)
        let values = (try? MultipleComparisons.benjaminiHochberg(found)) ?? found
        // To whole percents: of two with nearly the same share, the first one is more specific.
        func rank(_ index: Int) -> (Double, Int) { (-(100 * candidates[index].share).rounded(), index) }
        let passed = candidates.indices.filter { values[$0] <= Self.level }.sorted { rank($0) < rank($1) }
        var (left, causes) = (excess, [Explanation.Cause]())
        for index in passed where causes.count < Self.mostCauses {
            var share = candidates[index].share
            if let (factor, labels) = candidates[index].factor {
                let (explained, rest) = explained(factor, labels, of: left)
                share = explained / total
                guard share >= Self.floor else { continue }
                left = rest
            }
            let (feature, says, times, having) = candidates[index].details()
            let slowest = having.max { excess[$0] < excess[$1] }
            causes.append(
                Explanation.Cause(
                    feature: feature,
                    says: says,
                    share: share,
                    q: values[index],
                    slow: times[0],
                    ordinary: times[1],
                    spans: having.count,
                    trace: slowest.map { features.operations[$0].span.trace }
                )
            )
        }
        return causes
    }

    // MARK: - Properties

    private func candidate(_ factor: Factor) -> Candidate {
        let least = Double(Self.least.values)
        // The same weights as in the test: what is named is what was tested.
        let counts = factor.sums(factor.labels) { _ in 1 }
        let (labels, _) = factor.best(factor.sums(factor.labels) { weights[$0] }, counts, least: least)
        let testedLabels = tested.map { factor.labels[$0] }
        let testedCounts = factor.sums(testedLabels) { _ in 1 }
        return Candidate(
            feature: factor.name,
            share: explained(factor, labels, of: excess).0 / total,
            statistic: { places in
                let sums = factor.sums(places.lazy.map { testedLabels[$0] }) { weights[tested[$0]] }
                return factor.best(sums, testedCounts, least: least).squares
            },
            details: {
                let seconds = zip(features.seconds, factor.labels)
                let times = [true, false].map { has in
                    Self.median(seconds.filter { labels.contains($1) == has }.map(\.0))
                }
                let shown = times.map { QuantityFormat.duration($0) ?? "?" }
                let says = "\(factor.phrase(labels)) take \(shown[0]), others \(shown[1])"
                return (factor.name, says, times, slow.filter { labels.contains(factor.labels[$0]) })
            },
            factor: (factor, labels)
        )
    }

    /// How much of an excess a property explains, and the excess as if operations with it were as slow as the others.
    private func explained(_ factor: Factor, _ labels: Range<Int>, of excess: [Double]) -> (Double, rest: [Double]) {
        let has = factor.labels.map { labels.contains($0) }
        let (count, sum) = (Double(has.count { $0 }), zip(excess, has).reduce(0) { $0 + ($1.1 ? $1.0 : 0) })
        let usual = (excess.reduce(0, +) - sum) / max(1, Double(has.count) - count) * count
        return sum > usual ? (sum - usual, zip(excess, has).map { $1 ? $0 * usual / sum : $0 }) : (0, excess)
    }
}
