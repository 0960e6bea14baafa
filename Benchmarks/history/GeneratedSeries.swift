// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A series as the medians of a benchmark in saved files, with the changes that were planted.
struct GeneratedSeries {
    enum Kind: String, CaseIterable {
        /// One to three changes of 2 to 6 deviations, at least five files apart.
        case steps
        /// Three to five changes of 5 to 30 deviations in at most 60 files, at least three files apart.
        case largeSteps = "steps, large"
        /// One to three as at first, with errors by Student's distribution with two degrees of freedom.
        case heavySteps = "steps, heavy tails"
        /// One to three with an autocorrelation of 0.5.
        case correlatedSteps = "steps, correlated"
        /// A change of 4 to 8 deviations that goes away after four to eight files.
        case wentAway = "went away"
        /// No change, but one file in 20 is 8 to 20 deviations slower.
        case spikes
        /// No change, and errors of an exponential distribution.
        case skewed = "no change, skewed"
        case heavy = "no change, heavy tails"
        case correlated = "no change, correlated"
        /// A straight line over 3 to 8 deviations, which has no step.
        case trend

        var hasSteps: Bool { [.steps, .largeSteps, .heavySteps, .correlatedSteps].contains(self) }
    }

    private static let deviation = 0.01

    private(set) var values: [Double]
    private(set) var changes: [Int] = []

    init(_ kind: Kind, seed: UInt64) {
        var random = SeededGenerator(seed: seed, stream: UInt64(Kind.allCases.firstIndex(of: kind) ?? 0))
        let count = 20 + random.index(below: kind == .largeSteps ? 41 : 101)
        let errors = Self.errors(kind, count, &random)
        values = [Double](repeating: 100, count: count)
        if kind.hasSteps { plantSteps(kind == .largeSteps, &random) }
        if kind == .wentAway { plantReturn(&random) }
        if kind == .trend {
            let slope = Self.deviation * (3 + 5 * random.unit()) / Double(count - 1)
            for index in 0..<count { values[index] *= 1 + slope * Double(index) }
        }
        for index in 0..<count { values[index] *= 1 + Self.deviation * errors[index] }
    }

    private mutating func plantSteps(_ isLarge: Bool, _ random: inout SeededGenerator) {
        let wanted = min((isLarge ? 3 : 1) + random.index(below: 3), max(1, values.count / (isLarge ? 6 : 12)))
        let gap = isLarge ? 3 : 5
        while changes.count < wanted {
            let index = gap + random.index(below: values.count - 2 * gap + 1)
            if changes.allSatisfy({ abs($0 - index) >= gap }) { changes.append(index) }
        }
        changes.sort()
        let (least, most) = isLarge ? (5.0, 30.0) : (2, 6)
        for index in changes {
            multiply(index..<values.count, by: least + (most - least) * random.unit(), &random)
        }
    }

    private mutating func plantReturn(_ random: inout SeededGenerator) {
        let length = 4 + random.index(below: 5)
        let start = 5 + random.index(below: values.count - length - 9)
        changes = [start, start + length]
        multiply(start..<start + length, by: 4 + 4 * random.unit(), &random)
    }

    private mutating func multiply(_ range: Range<Int>, by deviations: Double, _ random: inout SeededGenerator) {
        let sign = random.index(below: 2) == 0 ? 1.0 : -1
        for index in range { values[index] *= 1 + sign * Self.deviation * deviations }
    }

    /// In deviations.
    private static func errors(_ kind: Kind, _ count: Int, _ random: inout SeededGenerator) -> [Double] {
        var errors = (0..<count).map { _ in random.normal() }
        switch kind {
        case .heavySteps, .heavy:
            for index in 0..<count { errors[index] /= exponential(&random).squareRoot() }
        case .correlatedSteps, .correlated:
            for index in 1..<count { errors[index] = 0.5 * errors[index - 1] + 0.75.squareRoot() * errors[index] }
        case .skewed: errors = (0..<count).map { _ in exponential(&random) - 1 }
        case .spikes:
            for _ in 0..<max(1, count / 20) { errors[random.index(below: count)] += 8 + 12 * random.unit() }
        default: break
        }
        return errors
    }

    private static func exponential(_ random: inout SeededGenerator) -> Double { -log(1 - random.unit()) }
}
