// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomSwiftMetrics
import AxiomTestSupport
import Metrics
import MetricsTestKit
import Testing

import class CoreMetrics.Counter
import class CoreMetrics.Gauge

@Suite("Agreement with swift-metrics' own test backend")
struct DifferentialTests {
    // One spelling of é: TestMetrics takes two for one, as Swift does; Prometheus does not, nor does the page.
    private static let values = ["GET", "POST", "/a\"b\\c\nd", "é", "日本", "0", "_"]

    @Test(
        "The same random calls give the same totals, counts, sums and last values",
        arguments: 0..<10 as Range<UInt64>
    )
    func totals(seed: UInt64) throws {
        let backend = Backend()
        let reference = TestMetrics()
        for factory in [backend.factory, reference] as [any MetricsFactory] {
            withMetricsFactory(factory) { Self.record(seed: seed) }
        }
        try compare(backend, reference)
        #expect(backend.log.isEmpty)
    }

    /// Draws everything from the seed: each backend sees the same calls.
    private static func record(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<3, using: &generator)
            let dimensions = Self.dimensions(&generator)
            switch Int.random(in: 0..<9, using: &generator) {
            case 0, 1:
                Counter(label: "counter\(number)", dimensions: dimensions)
                    .increment(by: Int.random(in: 0...1_000_000, using: &generator))
            case 2:
                Gauge(label: "gauge\(number)", dimensions: dimensions)
                    .record(Double(bitPattern: generator.next()))
            case 3:
                Recorder(label: "recorder\(number)", dimensions: dimensions)
                    .record(Double.random(in: -1_000...1_000_000, using: &generator))
            case 4:
                Timer(label: "timer\(number)", dimensions: dimensions)
                    .recordNanoseconds(Int64.random(in: 0...20_000_000_000, using: &generator))
            case 5: meter(number, dimensions, &generator)
            case 6:
                FloatingPointCounter(label: "float\(number)", dimensions: dimensions)
                    .increment(by: Double(Int.random(in: 0...1_000, using: &generator)))
            case 7: destroyOne(number, dimensions, &generator)
            default:
                if generator.next() % 20 == 0 { Counter(label: "counter\(number)", dimensions: dimensions).reset() }
            }
        }
    }

    private static func meter(_ number: Int, _ dimensions: [(String, String)], _ generator: inout SeededGenerator) {
        let meter = Meter(label: "meter\(number)", dimensions: dimensions)
        let amount = [1.5, -1, .nan, .infinity, 0, 1_024].randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: meter.set(Int.random(in: -9...9, using: &generator))
        case 1: meter.increment(by: amount)
        default: meter.decrement(by: amount)
        }
    }

    private static func destroyOne(_ number: Int, _ dimensions: [(String, String)], _ generator: inout SeededGenerator)
    {
        guard generator.next() % 10 == 0 else { return }
        Counter(label: "counter\(number)", dimensions: dimensions).destroy()
        Meter(label: "meter\(number)", dimensions: dimensions).destroy()
        Timer(label: "timer\(number)", dimensions: dimensions).destroy()
        Recorder(label: "recorder\(number)", dimensions: dimensions).destroy()
    }

    /// Up to three dimensions of random names, in random order.
    private static func dimensions(_ generator: inout SeededGenerator) -> [(String, String)] {
        let names = ["method", "path", "status"].shuffled(using: &generator)
        return names.prefix(Int.random(in: 0...3, using: &generator)).map { name in
            (name, values[Int.random(in: 0..<values.count, using: &generator)])
        }
    }

    private func compare(_ backend: Backend, _ reference: TestMetrics) throws {
        let page = Page(backend.snapshot)
        for counter in reference.counters {
            let series = try page.series(counter.label + "_total", counter.dimensions)
            #expect(series.value == Double(counter.totalValue), "\(counter)")
        }
        for meter in reference.meters {
            #expect(try page.series(meter.label, meter.dimensions).value == meter.lastValue ?? 0, "\(meter)")
        }
        for recorder in reference.recorders {
            let series = try page.series(recorder.label, recorder.dimensions)
            if recorder.aggregate {
                #expect(Int(series.value) == recorder.values.count, "\(recorder)")
                #expect(isClose(series.histogram?.sum, recorder.values.reduce(0, +)), "\(recorder)")
            } else {
                let last = recorder.lastValue ?? 0
                #expect(series.value == last || series.value.isNaN && last.isNaN, "\(recorder)")
            }
        }
        for timer in reference.timers {
            let series = try page.series(timer.label + "_seconds", timer.dimensions)
            #expect(Int(series.value) == timer.values.count, "\(timer)")
            #expect(isClose(series.histogram?.sum, Double(timer.values.reduce(0, +)) / 1e9), "\(timer)")
        }
        let expected = reference.counters.count + reference.meters.count + reference.recorders.count
        #expect(page.count > 300 && page.count == expected + reference.timers.count)
    }

    /// Sums of the same numbers in another order.
    private func isClose(_ sum: Double?, _ expected: Double) -> Bool {
        guard let sum else { return false }
        return abs(sum - expected) <= 1e-9 * max(1, abs(expected))
    }
}

/// The series of a page by their names and labels.
private struct Page {
    private struct Missing: Error {
        let name: String
        let labels: [String: String]
    }

    private struct Key: Hashable {
        let name: String
        let labels: [String: String]
    }

    private var known: [Key: SeriesSnapshot] = [:]

    var count: Int { known.count }

    init(_ snapshot: Snapshot) {
        for family in snapshot.families {
            for series in family {
                let labels = Dictionary(uniqueKeysWithValues: series.labels.pairs.map { ($0.name, $0.value) })
                known[Key(name: family.definition.name, labels: labels)] = series
            }
        }
    }

    func series(_ name: String, _ dimensions: [(String, String)]) throws -> SeriesSnapshot {
        let labels = Dictionary(uniqueKeysWithValues: dimensions)
        guard let series = known[Key(name: name, labels: labels)] else { throw Missing(name: name, labels: labels) }
        return series
    }
}
