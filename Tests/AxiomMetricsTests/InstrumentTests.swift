// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Synchronization
import Testing

@testable import AxiomMetrics

@Suite("Instruments")
struct InstrumentTests {
    let registry = Registry()

    @Test("A counter is exact beyond 2^53")
    func exactCounter() throws {
        let counter = try registry.counter("c_total", help: "C.")
        counter.increment(by: 1 << 53)
        counter.increment()
        #expect(ExpositionFormat.text.page(registry.collect()).contains("\nc_total 9007199254740993\n"))
    }

    @Test("A floating-point counter refuses negative, infinite and NaN increments, and counts the refusals")
    func refusals() throws {
        let counter = try registry.floatCounter("c_total", help: "C.")
        counter.increment(by: 0.5)
        for amount: Double in [-1, -.infinity, .infinity, .nan, -.leastNonzeroMagnitude] {
            counter.increment(by: amount)
        }
        #expect(counter.value == 0.5)
        #expect(registry.refusedIncrements == 5)
        counter.increment(by: -0.0)
        counter.increment(by: 0)
        #expect(registry.refusedIncrements == 5)
    }

    @Test("A gauge holds any number and adds and subtracts")
    func gauge() throws {
        let gauge = try registry.gauge("g", help: "G.")
        gauge.set(10)
        gauge.add(2.5)
        gauge.subtract(0.5)
        gauge.increment()
        gauge.decrement()
        #expect(gauge.value == 12)
        for value in [Double.nan, .infinity, -.infinity, -0.0] {
            gauge.set(value)
            #expect(gauge.value.bitPattern == value.bitPattern)
        }
    }

    @Test(
        "A histogram counts a value in the first bucket whose bound is not below it",
        arguments: [3, 11, 16, 17, 100]
    )
    func buckets(count: Int) throws {
        let bounds = Buckets.linear(start: -2, width: 0.5, count: count).upperBounds
        let histogram = try registry.histogram("h", help: "H.", buckets: Buckets(bounds))
        var expected = [UInt64](repeating: 0, count: count + 1)
        var generator = SplitMix64(seed: 1)
        for index in 0..<2_000 {
            let exact = bounds[index % count]
            let value = [exact, exact.nextUp, exact.nextDown, .random(in: -5...60, using: &generator)][index % 4]
            histogram.observe(value)
            expected[bounds.firstIndex { value <= $0 } ?? count] += 1
        }
        #expect(registry.collect().series("h")?.histogram?.counts == expected)
        #expect(histogram.count == 2_000)
    }

    @Test("NaN and +Inf count in the last bucket, −Inf and negative values in the first")
    func oddObservations() throws {
        let histogram = try registry.histogram("h", help: "H.", buckets: [0, 1])
        histogram.observe(-5)
        histogram.observe(-0.0)
        #expect(histogram.sum == -5)
        histogram.observe(-.infinity)
        #expect(histogram.sum == -.infinity)
        histogram.observe(.infinity)
        histogram.observe(.nan)
        #expect(histogram.sum.isNaN)
        #expect(registry.collect().series("h")?.histogram?.counts == [3, 0, 2])
    }

    @Test("Nanoseconds fall into the bucket of the same time in seconds, at every bound and around it")
    func nanosecondsAgree() throws {
        let bounds = [-1, 0, 1e-9, 1.5e-9, 1e-6, 0.005, 0.016, 0.1, 0.3, 1, 1_099.5, 9e6, 1e300]
        let whole = try registry.histogram("whole", help: "H.", buckets: Buckets(bounds))
        let seconds = try registry.histogram("seconds", help: "H.", buckets: Buckets(bounds))
        var times: [Int64] = [.min, .max, 0, 1 << 40, (1 << 40) - 1, -(1 << 40)]
        for bound in bounds where abs(bound) < 9e9 {
            times += (-2...2).map { Int64((bound * 1e9).rounded()) + $0 }
        }
        for time in times {
            whole.observe(nanoseconds: time)
            seconds.observe(Double(time) / 1e9)
        }
        let page = registry.collect()
        #expect(page.series("whole")?.histogram?.counts == page.series("seconds")?.histogram?.counts)
    }

    @Test("The sum of nanoseconds does not wrap between snapshots")
    func longSums() throws {
        let histogram = try registry.histogram("h", help: "H.")
        histogram.observe(nanoseconds: .max)
        histogram.observe(nanoseconds: .max)
        histogram.observe(.seconds(1))
        let expected = 2 * (Double(Int64.max) / 1e9) + 1
        #expect(histogram.sum == expected)
    }

    @Test("A snapshot moves a large sum of nanoseconds before it can overflow, and nothing is lost")
    func folding() throws {
        let histogram = try registry.histogram("h", help: "H.")
        let long: Int64 = (1 << 61) + 1
        // The first value makes the cell.
        histogram.observe(0)
        for _ in 0..<8 {
            // 73 years of observed time at once; the fourth time would be beyond the range of 64 bits.
            histogram.readCells { cell, _ in cell.pointee.sumNanoseconds += long }
            _ = registry.collect()
        }
        let expected = 8 * (Double(long) / 1e9)
        #expect(registry.collect().series("h")?.histogram?.sum == expected)
    }
}
