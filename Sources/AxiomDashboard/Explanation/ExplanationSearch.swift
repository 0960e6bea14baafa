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
    /// The most causes.
    static let most = 3
    /// How many slow operations a test takes; of more, each so many-th operation is part of it.
    private static let sample = 250

    let features: SpanFeatures
    let rule: Explanation.Rule
    let threshold: Double
    /// The indices of the slow operations, and of the ordinary ones.
    let slow, ordinary: [Int]
    /// The median of the ordinary durations.
    let typical: Double
    /// Of each operation; 0 of those that are not slow.
    let excess: [Double]
    let total: Double
    private let mostWeight: Double

    init(_ features: SpanFeatures, limit: Double?) {
        let seconds = features.seconds
        let ranked = seconds.indices.sorted { (seconds[$0], $0) < (seconds[$1], $1) }
        let (threshold, rule) = Self.threshold(ranked.map { seconds[$0] }, limit)
        let slow = seconds.indices.filter { seconds[$0] > threshold }
        let others = ranked.dropLast(slow.count)
        let ordinary = Array(others.dropFirst(others.count / 4).dropLast(others.count / 4))
        let typical = Self.median(ordinary.map { seconds[$0] })
        let excess = seconds.map { $0 > threshold ? max(0, $0 - typical) : 0 }
        (self.features, self.rule, self.threshold, self.slow) = (features, rule, threshold, slow)
        (self.ordinary, self.typical, self.excess) = (ordinary, typical, excess)
        total = excess.reduce(0, +)
        mostWeight = 4 * Self.median(slow.map { excess[$0] })
    }

    /// The duration that slow operations exceed.
    private static func threshold(_ sorted: [Double], _ limit: Double?) -> (Double, Explanation.Rule) {
        guard sorted.count >= least.spans else { return (.infinity, .tenth) }
        func above(_ value: Double) -> Int { sorted.count - (sorted.firstIndex { $0 > value } ?? sorted.count) }
        if let limit, (least.slow...sorted.count - least.slow).contains(above(limit)) { return (limit, .budget) }
        let (median, fast) = (sorted[sorted.count / 2], sorted[sorted.count / 20])
        let spread = fast > 0 ? median * median / fast : median
        let isUsual = max(least.slow, sorted.count / 50)...sorted.count / 2
        if isUsual.contains(above(spread)) { return (spread, .spread) }
        return (sorted[sorted.count - 1 - max(least.slow, sorted.count / 10)], .tenth)
    }

    private static func median(_ values: [Double]) -> Double { (try? Statistics.median(values)) ?? 0 }

    var hasExcess: Bool { reason == nil }

    /// Why there is nothing to explain; nil if there is something.
    var reason: String? {
        let count = features.seconds.count
        if count < Self.least.spans {
            return "Too few calls: \(count) are known with all that they caused, and \(Self.least.spans) are needed."
        }
        let isClear = slow.count >= Self.least.slow && total >= 0.2 * typical * Double(slow.count) && total > 0
        return isClear ? nil : "No call is much slower than the others."
    }
}

// MARK: - Candidates

extension ExplanationSearch {
    /// A feature, and what it explains.
    struct Candidate {
        let feature: String
        let share: Double
        let statistic: PlacementTest.Statistic?
        /// What the cause is; not made for features that explain too little.
        let cause: (_ share: Double, _ q: Double) -> Explanation.Cause
        /// The labels of a property.
        var factor: (Factor, Range<Int>)?
    }

    /// The causes, and what was compared.
    var result: ([Explanation.Cause], [Explanation.Compared]) {
        let view = SampledView(of: features.seconds.count, slow, weights: { min(excess[$0], mostWeight) }, Self.sample)
        let candidates = features.parts.map { candidate($0, view) } + features.factors.map { candidate($0, view) }
        let tested = candidates.indices.filter { candidates[$0].share >= Self.floor && candidates[$0].statistic != nil }
        // Enough that a single cause can pass: its p-value times the number of tests.
        let test = PlacementTest(placings: max(1_999, 200 * candidates.count), seed: UInt64(slow.count))
        let found = test.pValues(
            of: view.slow,
            among: view.picked.count,
            tested.compactMap { candidates[$0].statistic }
        )
        // What explains too little counts as a test too.
        var pValues = candidates.map { _ in 1.0 }
        for (index, value) in zip(tested, found) { pValues[index] = value }
        let adjusted = (try? MultipleComparisons.benjaminiHochberg(pValues)) ?? pValues
        let passed = candidates.indices.filter { adjusted[$0] <= Self.level && candidates[$0].share >= Self.floor }
        let compared = candidates.map { Explanation.Compared(feature: $0.feature, share: max(0, $0.share)) }
        return (causes(passed.map { (candidates[$0], adjusted[$0]) }), compared)
    }

    /// Those that explain most. A property counts only for what the properties before it leave.
    private func causes(_ passed: [(candidate: Candidate, q: Double)]) -> [Explanation.Cause] {
        // To whole percents: of two with nearly the same share, the first one is more specific.
        let ranked = passed.enumerated().sorted {
            ((100 * $1.element.candidate.share).rounded(), $0.offset)
                < ((100 * $0.element.candidate.share).rounded(), $1.offset)
        }
        var (left, causes) = (excess, [Explanation.Cause]())
        for (candidate, q) in ranked.map(\.element) where causes.count < Self.most {
            var share = candidate.share
            if let (factor, labels) = candidate.factor {
                share = explained(factor, labels, left) / total
                guard share >= Self.floor else { continue }
                left = without(factor, labels, left)
            }
            causes.append(candidate.cause(share, q))
        }
        return causes
    }

    /// The trace of the slowest of these slow operations.
    func trace(_ slow: [Int]) -> TraceID? {
        slow.max { excess[$0] < excess[$1] }.map { features.operations[$0].span.trace }
    }
}

// MARK: - Properties

extension ExplanationSearch {
    func candidate(_ factor: Factor, _ view: SampledView) -> Candidate {
        // The same weights as in the test: what is named is what was tested.
        let sums = factor.sums(factor.labels) { min(excess[$0], mostWeight) }
        let counts = factor.sums(factor.labels) { _ in 1 }
        let (labels, _) = factor.best(sums, counts, least: Double(Self.least.values))
        let picked = view.picked.map { factor.labels[$0] }
        let pickedCounts = factor.sums(picked) { _ in 1 }
        return Candidate(
            feature: factor.name,
            share: explained(factor, labels, excess) / total,
            statistic: { places in
                var sums = [Double](repeating: 0, count: factor.count + 1)
                for (weight, place) in zip(view.weights, places) { sums[picked[place]] += weight }
                return factor.best(sums, pickedCounts, least: Double(Self.least.values)).squares
            },
            cause: { share, q in
                let having = features.seconds.indices.filter { labels.contains(factor.labels[$0]) }
                let others = features.seconds.indices.filter { !labels.contains(factor.labels[$0]) }
                let medians = [having, others].map { Self.median($0.map { features.seconds[$0] }) }
                let times = medians.map { QuantityFormat.duration($0) ?? "?" }
                let slow = having.filter { excess[$0] > 0 }
                return Explanation.Cause(
                    feature: factor.name,
                    says: "\(factor.phrase(labels)) take \(times[0]), others \(times[1])",
                    share: share,
                    q: q,
                    slow: medians[0],
                    ordinary: medians[1],
                    spans: slow.count,
                    trace: trace(slow)
                )
            },
            factor: (factor, labels)
        )
    }

    /// The part of an excess that a property explains.
    private func explained(_ factor: Factor, _ labels: Range<Int>, _ excess: [Double]) -> Double {
        let (mean, others) = means(factor, labels, excess)
        return Double(factor.labels.count { labels.contains($0) }) * max(0, mean - others)
    }

    /// The excess as if the operations with a property were as slow as the others.
    private func without(_ factor: Factor, _ labels: Range<Int>, _ excess: [Double]) -> [Double] {
        let (mean, others) = means(factor, labels, excess)
        guard mean > others else { return excess }
        return zip(excess, factor.labels).map { labels.contains($1) ? $0 * others / mean : $0 }
    }

    private func means(_ factor: Factor, _ labels: Range<Int>, _ excess: [Double]) -> (Double, others: Double) {
        var (inside, sum, count) = (0.0, 0.0, 0.0)
        for (value, label) in zip(excess, factor.labels) {
            if labels.contains(label) { (inside, count) = (inside + value, count + 1) }
            sum += value
        }
        return (count > 0 ? inside / count : 0, (sum - inside) / max(1, Double(excess.count) - count))
    }
}

/// The operations that a test takes: all of them, or each so many-th, so that it takes a bounded time.
struct SampledView {
    /// The indices of the operations.
    let picked: [Int]
    /// The places of the slow ones among them, and their weights.
    let slow: [Int]
    let weights: [Double]

    init(of count: Int, _ slow: [Int], weights: (Int) -> Double, _ most: Int) {
        let step = max(1, (slow.count + most - 1) / most)
        picked = Array(stride(from: 0, to: count, by: step))
        self.slow = slow.filter { $0 % step == 0 }.map { $0 / step }
        self.weights = self.slow.map { weights($0 * step) }
    }

    /// The weighted sum of a value of places.
    func sum(_ places: ArraySlice<Int>, _ value: (Int) -> Double) -> Double {
        zip(weights, places).reduce(0) { $0 + $1.0 * value($1.1) }
    }
}
