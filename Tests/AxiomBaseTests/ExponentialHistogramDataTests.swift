// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@Suite("Exponential histogram data")
struct ExponentialHistogramDataTests {
    private static let hostile: [Double] = [
        .leastNonzeroMagnitude, .leastNormalMagnitude, .leastNormalMagnitude.nextDown, 1, 1.0.nextUp, 1.0.nextDown, 2,
        0.1, .greatestFiniteMagnitude, .greatestFiniteMagnitude.nextDown, 0x1p-128, 0x1.8p-1030,
    ]

    private static func magnitudes(_ seed: UInt64, _ count: Int) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        let random = (0..<count).map { _ in abs(Double(bitPattern: generator.next())) }
        return hostile + random.filter { $0.isFinite && $0 > 0 }
    }

    @Test("A value lies above the bound of the bucket before its own and not above its own", arguments: -4...8)
    func indices(schema: Int) {
        let scale = ExponentialScale.shared
        for value in Self.magnitudes(UInt64(schema + 10), 20_000) {
            let index = scale.index(of: value, schema: schema)
            #expect(value <= scale.upperBound(of: index, schema: schema), "\(value)")
            // Below the least number there is, a bound is that number too.
            let lower = scale.upperBound(of: index - 1, schema: schema)
            #expect(value > lower || lower == .leastNonzeroMagnitude, "\(value)")
        }
    }

    @Test("Each bound belongs to its own bucket, and the next number to the next", arguments: -4...8)
    func bounds(schema: Int) {
        let scale = ExponentialScale.shared
        let step = 1 << max(0, schema)
        for index in (-1_000 * step >> max(0, -schema))...(1_000 * step >> max(0, -schema)) {
            let bound = scale.upperBound(of: index, schema: schema)
            #expect(scale.index(of: bound, schema: schema) == index)
            #expect(scale.index(of: bound.nextUp, schema: schema) == index + 1)
        }
    }

    @Test("Downscaling gives exactly what a coarse histogram would have recorded", arguments: -4...7)
    func downscaling(schema: Int) throws {
        var fine = try #require(ExponentialHistogramData())
        var coarse = try #require(ExponentialHistogramData(schema: schema))
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let value = Double.random(in: -5...5, using: &generator) * Double(1 << Int.random(in: 0...12))
            fine.record(value)
            coarse.record(value)
        }
        fine.downscale(to: schema)
        #expect(fine == coarse)
        #expect(fine.positive.total + fine.negative.total + fine.zeroCount == 5_000)
    }

    @Test("What was merged and is subtracted again leaves the rest, whatever the schemas")
    func subtracting() throws {
        for seed: UInt64 in 0..<40 {
            var random = SeededGenerator(seed: seed)
            let schemas = (Int.random(in: -4...8, using: &random), Int.random(in: -4...8, using: &random))
            var first = try #require(ExponentialHistogramData(schema: schemas.0))
            var second = try #require(ExponentialHistogramData(schema: schemas.1))
            for value in Self.magnitudes(seed, 200) {
                if Bool.random(using: &random) { first.record(value) } else { second.record(-value) }
            }
            first.record(0)
            second.record(.infinity)
            var rest = first.merging(second).subtracting(second)
            first.downscale(to: rest.schema)
            #expect(rest.positive == first.positive && rest.negative == first.negative, "seed \(seed)")
            #expect(rest.zeroCount == first.zeroCount && rest.count == first.count, "seed \(seed)")
            #expect(rest.positiveInfinities == 0)
            rest = rest.subtracting(rest)
            #expect(rest.count == 0 && rest.positive.isEmpty && rest.estimate(0.5) == nil, "seed \(seed)")
        }
    }

    @Test("Merging is the same as recording everything in one, whatever the schemas and zero buckets")
    func merging() throws {
        for seed: UInt64 in 0..<40 {
            var generator = SeededGenerator(seed: seed)
            let thresholds = [0, 0x1p-128, 0.01, 0.3].shuffled(using: &generator)
            let schemas = Array(-4...8).shuffled(using: &generator)
            var left = try #require(ExponentialHistogramData(schema: schemas[0], zeroThreshold: thresholds[0]))
            var right = try #require(ExponentialHistogramData(schema: schemas[1], zeroThreshold: thresholds[1]))
            var values = (0..<300).map { _ in (Double(Int.random(in: -4_000...4_000, using: &generator)) / 1_024) }
            values += [.infinity, 0, -0.0, .infinity]
            for (position, value) in values.enumerated() {
                if position % 3 == 0 { left.record(value) } else { right.record(value) }
            }
            var reversed = right
            reversed.merge(left)
            left.merge(right)
            #expect(left == reversed, "seed \(seed)")
            var whole = try #require(
                ExponentialHistogramData(schema: left.schema, zeroThreshold: left.zeroThreshold)
            )
            for value in values { whole.record(value) }
            #expect(left == whole, "seed \(seed)")
        }
    }

    @Test("A quantile is within the stated error of the observation of its rank, at every schema", arguments: -4...8)
    func quantiles(schema: Int) throws {
        var data = try #require(ExponentialHistogramData(schema: schema))
        var values = Self.magnitudes(UInt64(schema + 100), 400).filter { (1e-30...1e30).contains($0) }
        var generator = SeededGenerator(seed: 1)
        values += (0..<600).map { _ in .random(in: 0.001...100, using: &generator) }
        values += values.prefix(300).map { -$0 } + [0, 0, 0]
        for value in values { data.record(value) }
        values.sort()
        for step in 0...100 {
            let quantile = Double(step) / 100
            let rank = max(1, Int((quantile * Double(values.count)).rounded(.up)))
            let exact = values[rank - 1]
            let error = abs(data.quantile(quantile) - exact)
            #expect(error <= abs(exact) * data.relativeError * (1 + 1e-12), "quantile \(quantile) of \(exact)")
        }
    }

    @Test("NaN and infinities are counted separately and add no buckets")
    func oddValues() throws {
        var data = try #require(ExponentialHistogramData())
        #expect(data.quantile(0.5).isNaN)
        for value in [-Double.infinity, -1, 0, 1, .infinity, .infinity] { data.record(value) }
        #expect(data.sum.isNaN)
        #expect(data.count == 6)
        #expect(data.quantile(0) == -.infinity)
        #expect(data.quantile(1) == .infinity)
        #expect(data.quantile(0.5) == 0)
        data.record(.nan)
        #expect(data.count == 7)
        #expect(data.quantile(1) == .infinity)
        #expect(data.quantile(1.5).isNaN && data.quantile(.nan).isNaN)
        #expect(data.positive.counts == [1] && data.negative.counts == [1])
    }

    @Test("A limit of buckets lowers the resolution, and no observation is lost")
    func limit() throws {
        var data = try #require(ExponentialHistogramData())
        for power in -60...60 { data.record(Double(sign: .plus, exponent: power, significand: 1.3)) }
        data.limitBuckets(to: 20)
        #expect(data.positive.counts.count <= 20)
        #expect(data.positive.total == 121)
        #expect(data.schema == -3)
    }

    @Test("Runs cover exactly the buckets that are not empty")
    func runs() {
        let buckets = ExponentialBuckets(offset: -4, counts: [0, 0, 1, 2, 0, 0, 3, 0, 4, 0])
        #expect(buckets.offset == -2)
        #expect(buckets.runs() == [-2..<0, 2..<3, 4..<5])
        #expect(buckets.runs(bridging: 1) == [-2..<0, 2..<5])
        #expect(ExponentialBuckets.none.runs().isEmpty)
    }

    @Test("An invalid schema or threshold gives no histogram")
    func refused() {
        #expect(ExponentialHistogramData(schema: 9) == nil)
        #expect(ExponentialHistogramData(schema: -5) == nil)
        for threshold in [-1, Double.nan, .infinity] {
            #expect(ExponentialHistogramData(zeroThreshold: threshold) == nil)
        }
    }
}
