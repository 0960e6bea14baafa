// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A change of the level of a series of numbers.
struct ChangePoint: Hashable, Sendable {
    /// The index of the first number of the new level.
    let index: Int
    /// The probability of so large a change in a random order of the same numbers.
    let pValue: Double
    /// The natural logarithm of the new level over the old one, with its interval; nil if numbers are not positive or too
    /// few for an interval.
    let shift: ShiftEstimate?
}

/// Finds changes of the level of a series, with a stated probability of finding one where there is none.
///
/// Pettitt's statistic (A. N. Pettitt, "A non-parametric approach to the change-point problem", Applied Statistics 28,
/// 1979) gives the index before and after which ranks differ most. Its p-value is that of a permutation test with
/// (1 + b) / (1 + m), where b of m random orders differ as much (Phipson and Smyth, "Permutation p-values should never be
/// zero", 2010). Without a change, all orders of independent numbers are equally likely, so the level bounds the
/// probability of a false finding for any distribution of the numbers. Both sides of a change are searched again, at the
/// same level.
///
/// One spike is not a change: it is one rank. A level must last for ``leastLength(of:level:)`` numbers to be found.
struct ChangePoints: Sendable {
    /// The probability of finding any change in a series without one.
    let level: Double
    var seed: UInt64 = 1

    /// All changes, in order.
    ///
    /// Cost: about ten over the level times the length for a change; a few dozen times the length without one.
    func find(_ values: [Double]) -> [ChangePoint] {
        var generator = SeededGenerator(seed: seed)
        var pValues: [Int: Double] = [:]
        var stretches = [0..<values.count]
        while let stretch = stretches.popLast() {
            guard let move = move(Array(values[stretch]), &generator) else { continue }
            let index = stretch.lowerBound + move.index
            pValues[index] = move.pValue
            stretches += [stretch.lowerBound..<index, index..<stretch.upperBound]
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

    // MARK: One stretch

    private func move(_ values: [Double], _ generator: inout SeededGenerator) -> (index: Int, pValue: Double)? {
        guard values.count >= 4 else { return nil }
        var ranks = Midranks(values).doubled
        let (index, statistic) = Self.largest(ranks)
        guard statistic > 0 else { return nil }
        let orders = max(999, Int((10 / level).rounded(.up)))
        var asLarge = 0
        for _ in 0..<orders {
            ranks.shuffle(using: &generator)
            if Self.largest(ranks).statistic >= statistic { asLarge += 1 }
            // Too many already: the rest cannot make it rare.
            if Double(1 + asLarge) > level * Double(1 + orders) { return nil }
        }
        return (index, Double(1 + asLarge) / Double(1 + orders))
    }

    /// The first index of the largest of Pettitt's sums, and that sum.
    private static func largest(_ ranks: [Int]) -> (index: Int, statistic: Int) {
        var (largest, statistic, sum) = (0, 0, 0)
        for index in 0..<(ranks.count - 1) {
            // Twice the rank less what it would be in the middle.
            sum += ranks[index] - (ranks.count + 1)
            if abs(sum) > statistic { (largest, statistic) = (index + 1, abs(sum)) }
        }
        return (largest, statistic)
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
