// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@Suite("Exponential histograms of 1,000 random distributions")
struct HistogramPropertyTests {
    /// Durations of some shape and size.
    private static func values(_ generator: inout SeededGenerator) -> [Double] {
        let count = 20 + generator.index(below: 200)
        let scale = exp(Double(generator.index(below: 30)) - 15)
        let shape = generator.index(below: 6)
        let parameter = 0.1 + 2 * generator.unit()
        return (0..<count).map { _ in
            switch shape {
            case 0: scale * exp(parameter * generator.normal())
            case 1: scale * generator.unit()
            case 2: scale * -log(1 - generator.unit())
            case 3: scale * pow(1 - generator.unit(), -1 / parameter)
            case 4: scale * (generator.unit() < 0.5 ? 1 : 50) * (1 + 0.01 * generator.normal())
            default: generator.unit() < 0.2 ? 0 : scale
            }
        }
    }

    private static func histogram(_ values: [Double], _ schema: Int) throws -> ExponentialHistogramData {
        var data = try #require(ExponentialHistogramData(schema: schema))
        for value in values { data.record(value) }
        return data
    }

    /// Whether two histograms are the same but for rounding in their sums, which depends on the order of additions.
    private static func same(_ left: ExponentialHistogramData, _ right: ExponentialHistogramData) -> Bool {
        left.schema == right.schema && left.positive == right.positive && left.negative == right.negative
            && left.zeroCount == right.zeroCount && left.zeroThreshold == right.zeroThreshold
            && left.count == right.count && abs(left.sum - right.sum) <= 1e-12 * abs(right.sum)
    }

    @Test("Merging is associative and commutative, whatever the resolutions, and loses nothing", arguments: 0..<10)
    func merging(batch: Int) throws {
        var generator = SeededGenerator(seed: UInt64(batch), stream: 1)
        for _ in 0..<100 {
            let parts = try (0..<3).map { _ in
                try Self.histogram(Self.values(&generator), -4 + generator.index(below: 13))
            }
            let left = parts[0].merging(parts[1]).merging(parts[2])
            #expect(Self.same(left, parts[0].merging(parts[1].merging(parts[2]))))
            #expect(Self.same(left, parts[2].merging(parts[1]).merging(parts[0])))
            #expect(parts[0].merging(parts[1]) == parts[1].merging(parts[0]))
            #expect(left.count == parts.map(\.count).reduce(0, +))
            #expect(left.schema == parts.map(\.schema).min())
        }
    }

    @Test(
        "Lowering the resolution gives what would have been recorded so, in one step or in several",
        arguments: 0..<10
    )
    func downscaling(batch: Int) throws {
        var generator = SeededGenerator(seed: UInt64(batch), stream: 2)
        for _ in 0..<100 {
            let values = Self.values(&generator)
            let fine = try Self.histogram(values, 8)
            let schema = -4 + generator.index(below: 12)
            var coarse = fine
            coarse.downscale(to: schema)
            #expect(coarse == (try Self.histogram(values, schema)))
            #expect(coarse.positive.total + coarse.zeroCount == UInt64(values.count))
            var steps = fine
            for step in stride(from: 7, through: schema, by: -1) { steps.downscale(to: step) }
            #expect(steps == coarse)
        }
    }

    @Test("A quantile is within the stated error of the observation of its rank, merged or not", arguments: 0..<10)
    func quantiles(batch: Int) throws {
        var generator = SeededGenerator(seed: UInt64(batch), stream: 3)
        for _ in 0..<100 {
            let values = Self.values(&generator)
            let schema = generator.index(below: 9)
            let half = values.count / 2
            let parts = [values[..<half], values[half...]].map { Array($0) }
            let merged = try Self.histogram(parts[0], 8).merging(Self.histogram(parts[1], schema))
            let sorted = values.sorted()
            for probability in [0, 0.01, 0.25, 0.5, 0.9, 0.99, 1] {
                let exact = sorted[max(1, Int((probability * Double(values.count)).rounded(.up))) - 1]
                let error = abs(merged.quantile(probability) - exact)
                #expect(error <= exact * merged.relativeError * (1 + 1e-12), "\(probability) of \(exact)")
            }
        }
    }
}
