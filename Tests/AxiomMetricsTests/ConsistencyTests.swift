// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Foundation
import Synchronization
import Testing

@Suite("Consistency under concurrent recording")
struct ConsistencyTests {
    private static let threads = 4

    @Test(
        "In every scrape _count equals the +Inf bucket, buckets are cumulative and nothing goes back; totals are exact"
    )
    func histogramUnderLoad() throws {
        let registry = Registry()
        let histogram = try registry.histogram("h", help: "H.", buckets: [0.1, 0.2, 0.3])
        let counter = try registry.counter("c_total", help: "C.")
        let float = try registry.floatCounter("f_total", help: "F.")
        let gauge = try registry.gauge("g", help: "G.")
        let values = [0.0625, 0.125, 0.25, 0.5]

        let rounds = 200_000
        var previous: [String: Double] = [:]
        var scrapes = 0
        record(
            rounds,
            { round in
                if round % 2 == 0 {
                    histogram.observe(values[round / 2 % 4])
                } else {
                    histogram.observe(nanoseconds: Int64(values[round / 2 % 4] * 1e9))
                }
                counter.increment()
                float.increment(by: 0.5)
                gauge.add(round % 2 == 0 ? 1 : -1)
            },
            whileRunning: {
                let now = Self.lines(ExpositionFormat.text.page(registry.collect()))
                scrapes += 1
                #expect(now["h_count"] == now["h_bucket{le=\"+Inf\"}"])
                let buckets = ["0.1", "0.2", "0.3", "+Inf"].map { now["h_bucket{le=\"\($0)\"}"] ?? -1 }
                #expect(buckets == buckets.sorted())
                for (name, value) in now where name != "g" { #expect(value >= previous[name] ?? 0, "\(name)") }
                previous = now
            }
        )

        #expect(scrapes > 0)
        let total = Self.threads * rounds
        #expect(counter.value == UInt64(total))
        #expect(float.value == Double(total) / 2)
        #expect(gauge.value == 0)
        #expect(histogram.count == UInt64(total))
        #expect(histogram.sum == Double(total) * values.reduce(0, +) / 4)
        let counts = registry.collect().series("h")?.histogram?.counts
        #expect(counts == Array(repeating: UInt64(total / 4), count: 4))
    }

    @Test(
        "While eight threads observe one value, each of a hundred scrapes has a sum that fits its count",
        arguments: [false, true]
    )
    func sumFitsCount(isExponential: Bool) throws {
        let registry = Registry()
        let classic = try registry.histogram("classic", help: "H.", buckets: [1, 4])
        let exponential = try registry.exponentialHistogram("exponential", help: "H.", buckets: [1, 4])
        let value = 2.5
        let rounds = 50_000
        let name = isExponential ? "exponential" : "classic"
        var scrapes = 0
        var previous = 0.0
        record(
            rounds,
            threads: 8,
            { _ in if isExponential { exponential.observe(value) } else { classic.observe(value) } },
            whileRunning: {
                guard let series = registry.collect().series(name), let histogram = series.histogram else {
                    return
                }
                scrapes += 1
                #expect(histogram.sum == value * series.value)
                #expect(histogram.counts == [0, UInt64(series.value), 0])
                #expect(series.value >= previous)
                previous = series.value
                if let data = series.exponential {
                    #expect(data.count == histogram.count)
                    #expect(data.positive.total == data.count)
                    #expect(data.positive.counts.count <= 1)
                }
            },
            atLeast: 100
        )
        #expect(scrapes >= 100)
        let last = try #require(registry.collect().series(name))
        #expect(last.value == Double(8 * rounds))
        #expect(last.histogram?.sum == value * Double(8 * rounds))
    }

    @Test("Times in nanoseconds and in seconds add up without loss while threads record both")
    func mixedUnits() throws {
        let registry = Registry()
        let histogram = try registry.histogram("h_seconds", help: "H.")
        record(
            20_000,
            { round in
                if round.isMultiple(of: 2) {
                    histogram.observe(nanoseconds: 125_000_000)
                } else {
                    histogram.observe(0.5)
                }
            },
            whileRunning: { _ = registry.collect() }
        )
        #expect(histogram.count == UInt64(20_000 * Self.threads))
        #expect(histogram.sum == 0.3125 * Double(20_000 * Self.threads))
    }

    @Test("Children that come and go during scrapes never make a page with a series twice or out of order")
    func churn() throws {
        let registry = Registry()
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("id"))
        record(
            20_000,
            { round in
                let child = family(round % 97)
                child.increment()
                if round % 5 == 0 { family.remove(child) }
            },
            whileRunning: {
                let labels = registry.collect().family("c_total")?.map(\.labels) ?? []
                #expect(zip(labels, labels.dropFirst()).allSatisfy { $0 < $1 })
            }
        )
        #expect(family.count <= 97)
    }

    /// Runs `body` on several threads, and `collect` on this one until they have ended and at least `minimum` times.
    private func record(
        _ rounds: Int,
        threads: Int = Self.threads,
        _ body: @escaping @Sendable (Int) -> Void,
        whileRunning collect: () -> Void,
        atLeast minimum: Int = 1
    ) {
        let running = Running(threads)
        var repetitions = 0
        for _ in 0..<threads {
            Thread.detachNewThread {
                for round in 0..<rounds { body(round) }
                running.count.subtract(1, ordering: .releasing)
            }
        }
        repeat {
            collect()
            repetitions += 1
        } while running.count.load(ordering: .acquiring) > 0 || repetitions < minimum
    }

    private final class Running: Sendable {
        let count: Atomic<Int>
        init(_ count: Int) { self.count = Atomic(count) }
    }

    private static func lines(_ page: String) -> [String: Double] {
        var values: [String: Double] = [:]
        for line in page.split(separator: "\n") where !line.hasPrefix("#") {
            let space = line.lastIndex(of: " ") ?? line.endIndex
            values[String(line[..<space])] = Double(line[space...].dropFirst())
        }
        return values
    }
}
