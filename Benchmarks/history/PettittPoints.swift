// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics

/// The method that `history` had before: Pettitt's statistic (A. N. Pettitt, "A non-parametric approach to the change-point
/// problem", Applied Statistics 28, 1979), the index before and after which ranks differ most, with a permutation test. Both
/// sides of a change are searched again.
struct PettittPoints {
    let level: Double
    let seed: UInt64

    func find(_ values: [Double]) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        var found: [Int] = []
        var stretches = [0..<values.count]
        while let stretch = stretches.popLast() {
            guard let offset = move(Array(values[stretch]), &generator) else { continue }
            let index = stretch.lowerBound + offset
            found.append(index)
            stretches += [stretch.lowerBound..<index, index..<stretch.upperBound]
        }
        return found.sorted()
    }

    private func move(_ values: [Double], _ generator: inout SeededGenerator) -> Int? {
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
        return index
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
}
