// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The random numbers of the second generator. Each purpose has a stream of its own.
struct OtherDice: Sendable {
    private var numbers: SeededGenerator

    init(seed: UInt64, stream: UInt64) { numbers = SeededGenerator(seed: seed, stream: stream) }

    mutating func unit() -> Double { numbers.unit() }

    mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }

    /// Between two positive bounds, with the same share in each factor.
    mutating func scale(_ low: Double, _ high: Double) -> Double { low * pow(high / low, unit()) }

    /// An integer from `low` to `high`, both included.
    mutating func number(_ low: Int, _ high: Int) -> Int { low + numbers.index(below: high - low + 1) }

    mutating func chance(_ probability: Double) -> Bool { probability > 0 && unit() < probability }

    mutating func pick<Item>(_ items: [Item]) -> Item? {
        items.isEmpty ? nil : items[numbers.index(below: items.count)]
    }

    mutating func gauss() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }

    mutating func exponential(mean: Double) -> Double { -mean * log(1 - unit()) }

    /// The items in a random order.
    mutating func mixed<Item>(_ items: [Item]) -> [Item] {
        var items = items
        for last in stride(from: items.count - 1, to: 0, by: -1) { items.swapAt(last, number(0, last)) }
        return items
    }

    /// The index of a weight, as often as the weight says.
    mutating func index(by weights: [Double]) -> Int {
        var rest = unit() * weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return index }
        }
        return max(0, weights.count - 1)
    }
}

/// How long the own work of a call takes, in seconds.
struct OtherWork: Sendable {
    enum Shape: Sendable {
        case constant
        /// Log-normal, with this spread.
        case spread(Double)
        /// A share of the calls takes so many times as long.
        case twoPeaks(share: Double, factor: Double)
        /// Pareto with this exponent, cut at sixty times the median.
        case heavyTail(Double)
    }

    let median: Double
    let shape: Shape

    /// Draws a median between two bounds, and one of the shapes.
    init(_ low: Double, _ high: Double, _ dice: inout OtherDice) {
        median = dice.scale(low, high)
        switch dice.number(0, 3) {
        case 0: shape = .constant
        case 1: shape = .spread(dice.between(0.2, 1))
        case 2: shape = .twoPeaks(share: dice.between(0.05, 0.5), factor: dice.scale(4, 50))
        default: shape = .heavyTail(dice.between(1.5, 3))
        }
    }

    var mean: Double {
        switch shape {
        case .constant: median
        case .spread(let spread): median * exp(spread * spread / 2)
        case .twoPeaks(let share, let factor): median * (1 + share * (factor - 1))
        case .heavyTail(let exponent): median * pow(0.5, 1 / exponent) * exponent / (exponent - 1)
        }
    }

    func draw(_ dice: inout OtherDice) -> Double {
        switch shape {
        case .constant: median * dice.between(0.98, 1.02)
        case .spread(let spread): median * exp(spread * dice.gauss())
        case .twoPeaks(let share, let factor):
            median * (dice.chance(share) ? factor : 1) * exp(0.15 * dice.gauss())
        case .heavyTail(let exponent): median * min(60, pow(2 * (1 - dice.unit()), -1 / exponent))
        }
    }
}
