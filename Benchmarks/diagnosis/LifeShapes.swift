// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard
internal import Foundation

/// How long the instances of a component live.
enum LifeShape: TrendShape, CaseIterable {
    case exponential, fixed, heavyTail, kept, longer, leaks, leaksHalf

    static let healthy: [any TrendShape] = allCases.filter { $0.detector.isEmpty }
    static let planted: [any TrendShape] = allCases.filter { !$0.detector.isEmpty }

    var detector: String { self == .leaks || self == .leaksHalf ? "lives" : "" }

    var name: String {
        switch self {
        case .leaks: "instances no longer end"
        case .leaksHalf: "half of the instances no longer end"
        default: "lives: \(self)"
        }
    }
}

struct LifeSource: TrendSource {
    private let shape: LifeShape
    private var random: SeededGenerator
    private let (rate, mean, kept): (Double, Double, Double)
    private var made = 0.0
    private var living: [(since: Double, until: Double)] = []
    private var lifetimes = ExponentialHistogramData.empty

    init(seed: UInt64, _ shape: LifeShape) {
        self.shape = shape
        random = SeededGenerator(seed: seed &* 13 &+ 7)
        rate = random.logUniform(0.02...1)
        mean = random.logUniform(5...300)
        kept = random.uniform(0...0.3)
    }

    mutating func next(_ now: Double) -> TrendStep {
        let new = random.poisson(10 * rate)
        made += new
        for _ in 0..<Int(new) {
            let since = now - random.uniform(0...10)
            living.append((since, since + lifetime(now)))
        }
        for life in living where life.until <= now { lifetimes.record(life.until - life.since) }
        living.removeAll { $0.until <= now }
        let ages = living.map { now - $0.since }
        return TrendStep(life: TrendStep.Life(made: made, longest: lifetimes.estimate(0.99), ages: ages))
    }

    private mutating func lifetime(_ now: Double) -> Double {
        let exponential = -mean * log(1 - Double.random(in: 0..<1, using: &random))
        let isPlanted = now > 3_600
        switch shape {
        case .fixed: return mean * random.uniform(0.8...1.2)
        case .heavyTail: return mean * pow(1 - Double.random(in: 0..<1, using: &random), -1 / 1.2)
        case .kept: return random.uniform() < kept ? .infinity : exponential
        // People stay twice as long from some time on.
        case .longer: return now > 5_400 ? 2 * exponential : exponential
        case .leaks where isPlanted: return .infinity
        case .leaksHalf where isPlanted: return random.uniform() < 0.5 ? .infinity : exponential
        default: return exponential
        }
    }
}
