// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A change of the level of a series of numbers.
package struct ChangePoint: Hashable, Sendable {
    /// The index of the first number of the new level.
    package let index: Int
    /// The probability of so large a change in a random order of the same numbers.
    let pValue: Double
    /// The natural logarithm of the new level over the old one, with its interval; nil if numbers are not positive or too
    /// few for an interval.
    let shift: ShiftEstimate?
}

/// Finds changes of the level of a series, with a stated probability of finding one where there is none.
///
/// The method is e-divisive (Matteson and James, "A nonparametric approach for multiple change point analysis of
/// multivariate data", Journal of the American Statistical Association 109, 2014): ``EnergySplit`` gives the change, and a
/// permutation test its p-value (1 + b) / (1 + m), where b of m random orders differ as much (Phipson and Smyth,
/// "Permutation p-values should never be zero", 2010). Without a change, all orders of independent numbers are equally
/// likely, so the level bounds the probability of a false finding for any distribution of the numbers. Both sides of a
/// change are searched again, at the same level.
///
/// Numbers that depend on their neighbours wander, and random orders do not. If the numbers about their levels are
/// correlated, a change must also be rare among series of such numbers; see ``CorrelatedNoise``.
///
/// One spike is not a change. A level must last for ``leastLength(of:level:)`` numbers to be found.
package struct ChangePoints: Sendable {
    /// The probability of finding any change in a series without one.
    let level: Double
    let seed: UInt64
    /// Whether correlated numbers need the second test.
    let expectsCorrelation: Bool

    package init(level: Double, seed: UInt64 = 1, expectsCorrelation: Bool = true) {
        (self.level, self.seed, self.expectsCorrelation) = (level, seed, expectsCorrelation)
    }

    /// All changes, in order.
    ///
    /// Cost: about ten over the level times the square of the length for a change; a few dozen times the square without one.
    package func find(_ values: [Double]) -> [ChangePoint] {
        var generator = SeededGenerator(seed: seed)
        var rare: [Range<Int>: (split: EnergySplit, pValue: Double)] = [:]
        var pValues = descend(values.count) { stretch in
            rare[stretch] = permuted(Array(values[stretch]), &generator)
            return rare[stretch].map { ($0.split.index, $0.pValue) }
        }
        if expectsCorrelation {
            let levels = [0] + pValues.keys.sorted() + [values.count]
            pValues = descend(values.count) { stretch in
                guard let (split, pValue) = rare[stretch] else { return nil }
                let cuts = levels.filter { (stretch.lowerBound...stretch.upperBound).contains($0) }
                return correlated(values, cuts, split, &generator).map { (split.index, max(pValue, $0)) }
            }
        }
        let ends = pValues.keys.sorted() + [values.count]
        return zip(ends, ends.dropFirst()).enumerated().map { position, pair in
            let start = position == 0 ? 0 : ends[position - 1]
            let shift = Self.shift(Array(values[start..<pair.0]), Array(values[pair.0..<pair.1]))
            return ChangePoint(index: pair.0, pValue: pValues[pair.0] ?? 1, shift: shift)
        }
    }

    /// The least length of the shorter side of a change in a series of `count` numbers; nil if the series is too short.
    static func leastLength(of count: Int, level: Double) -> Int? {
        guard count >= 2 else { return nil }
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<count).map { _ in generator.unit() }
        return (1...(count / 2)).first { length in
            // The levels do not overlap.
            let step = noise.enumerated().map { $1 + ($0 < length ? 0 : 2) }
            return ChangePoints(level: level).find(step).contains { $0.index == length }
        }
    }

    /// Searches a series, and both sides of each change; returns the p-values by index.
    private func descend(
        _ count: Int,
        _ search: (Range<Int>) -> (index: Int, pValue: Double)?
    ) -> [Int: Double] {
        var pValues: [Int: Double] = [:]
        var stretches = [0..<count]
        while let stretch = stretches.popLast() {
            guard let found = search(stretch) else { continue }
            let index = stretch.lowerBound + found.index
            pValues[index] = found.pValue
            stretches += [stretch.lowerBound..<index, index..<stretch.upperBound]
        }
        return pValues
    }

    // MARK: One stretch

    /// The largest change, if it is rare among random orders.
    private func permuted(
        _ values: [Double],
        _ generator: inout SeededGenerator
    ) -> (split: EnergySplit, pValue: Double)? {
        guard values.count >= 2 * EnergySplit.leastSide, let split = EnergySplit(values) else { return nil }
        var order = values
        let pValue = pValue(of: split.statistic) {
            order.shuffle(using: &generator)
            return order
        }
        return pValue.map { (split, $0) }
    }

    /// The p-value among series whose numbers depend on each other as these do about their levels; 0 if they do not, and
    /// nil if the change is not rare.
    private func correlated(
        _ values: [Double],
        _ cuts: [Int],
        _ split: EnergySplit,
        _ generator: inout SeededGenerator
    ) -> Double? {
        guard var noise = CorrelatedNoise(values, cuts) else { return 0 }
        return pValue(of: split.statistic) { noise.series(using: &generator) }
    }

    /// How often random series have so large a change; nil if that is not rare.
    private func pValue(of statistic: Double, _ next: () -> [Double]) -> Double? {
        let count = max(999, Int((10 / level).rounded(.up)))
        var asLarge = 0
        for _ in 0..<count {
            // Sums of the same distances in another order differ in their last digits.
            if let split = EnergySplit(next()), split.statistic >= statistic * (1 - 1e-9) { asLarge += 1 }
            // Too many already: the rest cannot make it rare.
            if Double(1 + asLarge) > level * Double(1 + count) { return nil }
        }
        return Double(1 + asLarge) / Double(1 + count)
    }

    private static func shift(_ before: [Double], _ after: [Double]) -> ShiftEstimate? {
        guard (before + after).allSatisfy({ $0 > 0 }) else { return nil }
        return try? HodgesLehmann.shiftInterval(
            from: before.map { log($0) },
            to: after.map { log($0) },
            confidence: 0.9
        )
    }
}
