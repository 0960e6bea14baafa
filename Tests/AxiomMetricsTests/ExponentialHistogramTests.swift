// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomMetrics

@Suite("Exponential histogram")
struct ExponentialHistogramTests {
    let registry = Registry()

    @Test("Its classic buckets are those of a plain histogram", arguments: [[1, 10], [0.5, 1, 5, 10]])
    func classicBuckets(bounds: [Double]) throws {
        let histogram = try registry.exponentialHistogram("h", help: "H.", buckets: Buckets(bounds))
        let plain = try registry.histogram("plain", help: "P.", buckets: Buckets(bounds))
        for value in [0.25, 0.5, 0.75, 1, 2, 3, 5, 7, 10, 11, .infinity] {
            histogram.observe(value)
            plain.observe(value)
        }
        #expect(registry.collect().series("h")?.histogram?.counts == plain.reading.counts)
    }

    @Test("It equals a plain histogram of its resolution while the buckets suffice", arguments: -4...8)
    func agreesWithData(schema: Int) throws {
        let histogram = try registry.exponentialHistogram(
            "h",
            help: "H.",
            bucketing: ExponentialBucketing(schema: schema, maximumBuckets: 1_024)
        )
        var data = try #require(ExponentialHistogramData(schema: schema))
        var generator = SplitMix64(seed: 9)
        for _ in 0..<5_000 {
            let value = Double.random(in: 1...12, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)
            histogram.observe(value)
            data.record(value)
        }
        for value in [0, -0.0, .infinity, -.infinity, 0x1p-200] {
            histogram.observe(value)
            data.record(value)
        }
        #expect(histogram.data.sum.isNaN && data.sum.isNaN)
        #expect(histogram.data.positive == data.positive)
        #expect(histogram.data.negative == data.negative)
        #expect(histogram.data.zeroCount == 3)
        #expect(histogram.data.count == data.count && histogram.count == data.count)
        #expect(histogram.data.positiveInfinities == 1 && histogram.data.negativeInfinities == 1)
    }

    @Test(
        "For any observations in any order the buckets are bounded, nothing is lost and quantiles have the stated error"
    )
    func bounded() throws {
        for seed: UInt64 in 0..<30 {
            var generator = SplitMix64(seed: seed)
            let limit = [2, 3, 20, 160].randomElement(using: &generator) ?? 160
            let histogram = try Registry().exponentialHistogram(
                "h",
                help: "H.",
                bucketing: ExponentialBucketing(maximumBuckets: limit)
            )
            var values: [Double] = []
            for _ in 0..<3_000 {
                let exponent = Int.random(in: -40...40, using: &generator)
                let sign: FloatingPointSign = Int.random(in: 0..<4, using: &generator) == 0 ? .minus : .plus
                values.append(
                    Double(sign: sign, exponent: exponent, significand: .random(in: 1..<2, using: &generator))
                )
            }
            values += [.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, 0x1p-120]
            for value in values { histogram.observe(value) }
            let data = histogram.data
            #expect(data.positive.counts.count <= limit && data.negative.counts.count <= limit)
            #expect(data.count == UInt64(values.count) && histogram.count == data.count, "seed \(seed)")
            #expect(data.positive.total + data.negative.total + data.zeroCount == data.count)
            var whole = try #require(
                ExponentialHistogramData(schema: data.schema, zeroThreshold: data.zeroThreshold)
            )
            for value in values { whole.record(value) }
            #expect(whole.positive == data.positive && whole.negative == data.negative, "seed \(seed)")
            #expect(whole.zeroCount == data.zeroCount)
        }
    }

    @Test("The zero bucket is widened, up to its limit, before the resolution is lowered")
    func widening() throws {
        let bucketing = ExponentialBucketing(schema: 0, maximumBuckets: 10, maximumZeroThreshold: 1e-3)
        let histogram = try registry.exponentialHistogram("h", help: "H.", bucketing: bucketing)
        for power in -30...0 { histogram.observe(Double(sign: .plus, exponent: power, significand: 1)) }
        #expect(histogram.data.schema == 0)
        #expect(histogram.data.zeroThreshold == 0x1p-10)
        #expect(histogram.data.zeroCount == 21)
        histogram.observe(1_024)
        #expect(histogram.data.schema == -1)
        #expect(histogram.data.zeroThreshold <= 1e-3)
        #expect(histogram.data.count == 32)
    }

    @Test(
        "With a reset interval a histogram that lowered its resolution resets at a collection, with a new creation time"
    )
    func resets() throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let bucketing = ExponentialBucketing(maximumBuckets: 20, minimumResetInterval: .seconds(60))
        let histogram = try registry.exponentialHistogram("h", help: "H.", bucketing: bucketing)
        let start = time.secondsSinceEpoch
        histogram.observe(1)
        histogram.observe(1e6)
        #expect(histogram.data.schema < 8)
        time.advance(by: .seconds(59))
        #expect(registry.collect().series("h")?.value == 2)
        #expect(registry.collect().series("h")?.created == start)
        time.advance(by: .seconds(1))
        let last = try #require(registry.collect().series("h"))
        #expect(last.value == 2, "what was observed is shown once more")
        histogram.observe(3)
        let fresh = try #require(registry.collect().series("h"))
        #expect(fresh.value == 1)
        #expect(fresh.exponential?.schema == 8)
        #expect(fresh.created == start + 60)
    }

    @Test("Classic buckets beside the exponential ones have the same observations")
    func both() throws {
        let histogram = try registry.exponentialHistogram("h", help: "H.", buckets: [1, 2])
        for value in [0.5, 1, 1.5, 7, -1, .nan] { histogram.observe(value) }
        let series = try #require(registry.collect().series("h"))
        #expect(series.histogram?.counts == [3, 1, 2])
        #expect(series.exponential?.count == 6)
        let page = ExpositionFormat.text.page(registry.collect())
        #expect(page.contains("h_bucket{le=\"2.0\"} 4\n"))
        #expect(page.contains("h_count 6\n"))
    }

    @Test("In text a histogram without classic buckets has the +Inf bucket alone")
    func text() throws {
        let histogram = try registry.exponentialHistogram("h", help: "H.")
        histogram.observe(.seconds(2))
        let page = ExpositionFormat.text.page(registry.collect())
        #expect(page == "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 2\nh_count 1\n")
    }

    @Test(
        "A bucketing that is out of range is refused",
        arguments: [
            ExponentialBucketing(schema: 9), ExponentialBucketing(schema: -5), ExponentialBucketing(maximumBuckets: 1),
            ExponentialBucketing(maximumBuckets: 5_000), ExponentialBucketing(zeroThreshold: -1),
            ExponentialBucketing(zeroThreshold: .nan), ExponentialBucketing(maximumZeroThreshold: .infinity),
            ExponentialBucketing(minimumResetInterval: .zero),
        ]
    )
    func refused(bucketing: ExponentialBucketing) {
        let error = #expect(throws: MetricsError.self) {
            try registry.exponentialHistogram("h", help: "H.", bucketing: bucketing)
        }
        #expect(error?.code == .invalidBuckets)
    }

    @Test("A unit is the end of the name, and a metric without a quantity has none")
    func units() throws {
        let counter = try registry.counter("read_bytes_total", help: "R.", options: .unit("bytes"))
        counter.increment()
        #expect(registry.collect().family("read_bytes_total")?.definition.unit == "bytes")
        for (name, unit) in [("a_seconds", "bytes"), ("b", "b"), ("c_", ""), ("d_x y", "x y")] {
            #expect(throws: MetricsError.self) { try registry.gauge(name, help: "G.", options: .unit(unit)) }
        }
    }

    @Test("A series has its creation time")
    func created() throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"))
        _ = family("x")
        time.advance(by: .seconds(5))
        _ = family("y")
        #expect(registry.collect().series("c_total", ["a": "x"])?.created == 1_700_000_000)
        #expect(registry.collect().series("c_total", ["a": "y"])?.created == 1_700_000_005)
    }
}
