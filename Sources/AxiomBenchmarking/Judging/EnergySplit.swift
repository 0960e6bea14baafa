// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The index before which numbers differ most from those that follow, up to an end: a level that went away again differs from
/// both of its sides.
///
/// The difference of two samples of m and n numbers is mn / (m + n) times their energy distance: twice the mean distance
/// between numbers of both, less the mean distances within each (Székely and Rizzo, 2013).
struct EnergySplit {
    /// The least length of a side.
    static let leastSide = 2

    let index: Int
    let statistic: Double

    /// Finds it; nil if the numbers do not differ. Cost: the square of the length.
    init?(_ values: [Double]) {
        let count = values.count
        // The sum of the distances between the numbers up to each one.
        var within = [0.0]
        for end in values.indices {
            var sum = 0.0
            for earlier in 0..<end { sum += abs(values[end] - values[earlier]) }
            within.append(within[end] + sum)
        }
        var (best, largest) = (0, 0.0)
        // The sum of the distances of each number to those before the index.
        var distances = [Double](repeating: 0, count: count)
        for index in stride(from: 1, to: count, by: 1) {
            var between = 0.0
            let left = Double(index)
            for end in index..<count {
                distances[end] += abs(values[end] - values[index - 1])
                between += distances[end]
                let right = Double(end + 1 - index)
                guard index >= Self.leastSide, end + 1 - index >= Self.leastSide else { continue }
                let inner = within[end + 1] - within[index] - between
                let energy =
                    2 * between / (left * right) - 2 * within[index] / (left * left) - 2 * inner / (right * right)
                let statistic = left * right / (left + right) * energy
                if statistic > largest { (best, largest) = (index, statistic) }
            }
        }
        // Less is a rounding error of the sums.
        guard largest > 1e-12 * within[count] else { return nil }
        (index, statistic) = (best, largest)
    }
}

/// Series without a change whose numbers depend on their neighbours as those of a series about its levels: a first-order
/// autoregression of its own innovations in random order.
struct CorrelatedNoise {
    /// A series of this correlation could hardly be told from a change.
    private static let limit = 0.95

    private let coefficient: Double
    private var innovations: [Double]

    /// Nil if neighbours are not correlated: the coefficient is within one standard error of 0.
    ///
    /// - Parameter cuts: Where the levels begin and end.
    init?(_ values: [Double], _ cuts: [Int]) {
        var (products, squares) = (0.0, 0.0)
        var rest: [Double] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) where end > start {
            let mean = values[start..<end].reduce(0, +) / Double(end - start)
            let deviations = values[start..<end].map { $0 - mean }
            products += zip(deviations, deviations.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
            squares += deviations.reduce(0) { $0 + $1 * $1 }
            rest += deviations
        }
        guard squares > 0 else { return nil }
        // Each mean that is subtracted makes it smaller (Marriott and Pope, Biometrika 41, 1954).
        let (count, levels) = (Double(rest.count), Double(cuts.count - 1))
        let unbiased = (count * products / squares + levels) / max(1, count - 3 * levels - 1)
        guard unbiased > 1 / count.squareRoot() else { return nil }
        let bounded = min(unbiased, Self.limit)
        coefficient = bounded
        innovations = [rest[0] * Self.scale(bounded)] + zip(rest.dropFirst(), rest).map { $0 - bounded * $1 }
    }

    /// The deviation of innovations of numbers whose deviation is 1.
    private static func scale(_ coefficient: Double) -> Double { (1 - coefficient * coefficient).squareRoot() }

    mutating func series(using generator: inout SeededGenerator) -> [Double] {
        innovations.shuffle(using: &generator)
        var last = innovations[0] / Self.scale(coefficient)
        return [last]
            + innovations.dropFirst().map {
                last = coefficient * last + $0
                return last
            }
    }
}
