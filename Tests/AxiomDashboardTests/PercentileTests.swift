// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("Percentiles", .timeLimit(.minutes(10)))
struct PercentileTests {
    /// Durations in seconds.
    enum Shape: String, CaseIterable {
        case constant, uniform, normal, exponential, logNormal, heavyTail, twoPeaks, rareDisaster

        func draw(_ random: inout SeededGenerator) -> Double {
            let (one, other) = (Double.random(in: 1e-9...1, using: &random), Double.random(in: 0...1, using: &random))
            let normal = (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
            return switch self {
            case .constant: 0.667
            case .uniform: 0.3 + 0.3 * one
            case .normal: max(0.001, 0.05 + 0.01 * normal)
            case .exponential: -0.02 * log(one)
            case .logNormal: 0.01 * exp(normal)
            case .heavyTail: 0.001 * pow(one, -1 / 1.2)
            case .twoPeaks: other < 0.7 ? 0.002 + 0.0002 * one : 0.3 + 0.03 * one
            case .rareDisaster: other < 0.985 ? 0.0005 * exp(0.3 * normal) : 20 + 10 * one
            }
        }
    }

    /// The durations of a seed, 1 to 20,000 of them.
    private func durations(_ shape: Shape, _ seed: UInt64) -> [Int64] {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: seed % 4 == 0 ? 1...20 : 100...20_000, using: &random)
        return (0..<count).map { _ in Int64(shape.draw(&random) * 1e9) }
    }

    /// Whether the percentiles are within 10 % of the true ones, and not above the largest.
    private func expectTrue(_ data: ExponentialHistogramData, _ durations: [Int64], _ comment: Comment) throws {
        let sorted = durations.sorted().map { Double($0) / 1e9 }
        for percentile in [0.01, 0.5, 0.9, 0.95, 0.99] {
            let exact = sorted[max(0, Int((percentile * Double(sorted.count)).rounded(.up)) - 1)]
            let shown = try #require(data.estimate(percentile))
            #expect((0.9 * exact...1.1 * exact).contains(shown) && shown <= sorted[sorted.count - 1], comment)
        }
    }

    @Test("They are within 10 % of the true ones, and never above the largest duration", arguments: Shape.allCases)
    func shapes(shape: Shape) throws {
        for seed: UInt64 in 0..<20 {
            let durations = durations(shape, seed)
            let histogram = try Registry().exponentialHistogram("h", help: "H.", bucketing: .axiomDistribution)
            for duration in durations { histogram.observe(nanoseconds: duration) }
            try expectTrue(histogram.data, durations, "\(shape), seed \(seed), \(durations.count) durations")
        }
    }

    @Test("Those of a minute are of its durations alone, whatever came before", arguments: Shape.allCases)
    func minutes(shape: Shape) throws {
        for seed: UInt64 in 0..<10 {
            let histogram = try Registry().exponentialHistogram("h", help: "H.", bucketing: .axiomDistribution)
            for other in Shape.allCases.prefix(Int(seed % 8)) {
                for duration in durations(other, seed) { histogram.observe(nanoseconds: duration) }
            }
            let earlier = histogram.data
            let latest = durations(shape, seed + 100)
            for duration in latest { histogram.observe(nanoseconds: duration) }
            let minute = histogram.data.subtracting(earlier)
            #expect(minute.count == UInt64(latest.count))
            // What came before may have coarsened the buckets: then they grow by 19 %.
            guard minute.schema == 3 else { continue }
            try expectTrue(minute, latest, "\(shape), seed \(seed)")
        }
    }

    @Test("Without durations there are none")
    func empty() {
        #expect(ExponentialHistogramData.empty.estimate(0.5) == nil)
    }

    @Test("Every duration is in the one bar whose bounds are around it", arguments: [CoarseBuckets.latency, .lifetime])
    func bars(buckets: CoarseBuckets) throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let seconds = pow(2, Double.random(in: -25...25, using: &random))
            for value in [seconds, pow(2, log2(seconds).rounded())] {
                let histogram = try Registry().exponentialHistogram("h", help: "H.", bucketing: .axiomDistribution)
                histogram.observe(value)
                let counts = buckets.counts(of: histogram.data)
                let bar = buckets.bounds.firstIndex { value <= $0 } ?? buckets.bounds.count
                #expect(counts[bar] == 1 && counts.reduce(0, +) == 1, "\(value)")
            }
        }
    }
}
