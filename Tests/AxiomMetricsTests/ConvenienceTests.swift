// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomMetrics

@Suite("Constant labels, bound families, block timers, signed increments")
struct ConvenienceTests {
    private struct Failure: Error {}

    private struct Rooms: Collector {
        let label: String
        func collect() throws -> [CollectedFamily] {
            var rooms = CollectedFamily.gauge("rooms_of_\(label)", help: "Rooms.", labels: label)
            rooms.add(3, "first")
            return [rooms]
        }
    }

    @Test("Constant labels stand before those of every series, whatever its kind, and instruments do not have them")
    func constantLabels() throws {
        let registry = try Registry(constantLabels: ["region": "eu \"1\"", "empty": "", "build": "7"])
        registry.showOwnMetrics()
        let plain = try registry.counter("c_total", help: "C.")
        plain.increment()
        try registry.histograms("h", help: "H.", labels: Label<Int>("a"), buckets: [1])(5).observe(1)
        try registry.gaugeCallback("now", help: "N.") { 4 }
        registry.register(Rooms(label: "floor"))
        #expect(plain.labels.isEmpty)
        let page = registry.collect()
        #expect(page.problems.isEmpty && page.families.count == 6)
        for family in page.families {
            for series in family { #expect(series.labels["region"] == "eu \"1\"" && series.labels["build"] == "7") }
        }
        let text: String = ExpositionFormat.text.page(page)
        #expect(text.contains("\nc_total{region=\"eu \\\"1\\\"\",build=\"7\"} 1\n"))
        #expect(text.contains("\nh_bucket{region=\"eu \\\"1\\\"\",build=\"7\",a=\"5\",le=\"1.0\"} 1\n"))
        #expect(text.contains("\nnow{region=\"eu \\\"1\\\"\",build=\"7\"} 4\n"))
        #expect(text.contains("\nrooms_of_floor{region=\"eu \\\"1\\\"\",build=\"7\",floor=\"first\"} 3\n"))
    }

    @Test("A constant label that is malformed, reserved or used by a family is refused")
    func badConstants() throws {
        #expect(throws: MetricsError.self) { try Registry(constantLabels: ["a-b": "x"]) }
        #expect(throws: MetricsError.self) { try Registry(constantLabels: ["le": "x"]) }
        #expect(throws: MetricsError.self) { try Registry(constantLabels: ["a": "x", "a": "y"]) }
        let registry = try Registry(constantLabels: ["a": "x"])
        let error = #expect(throws: MetricsError.self) {
            try registry.counters("c_total", help: "C.", labels: Label<String>("a"))
        }
        #expect(error?.code == .invalidLabel)
        let open = try registry.open(.counter, "d_total", help: "D.")
        #expect(throws: MetricsError.self) { try open([(name: "a", value: "y")]) }
        registry.register(Rooms(label: "a"))
        #expect(registry.collect().problems.map(\.code) == [.invalidLabel])
    }

    @Test("A block is timed by the registry's clock, also if it throws, and returns its result")
    func blockTimer() throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let histogram = try registry.histogram("h_seconds", help: "H.", buckets: [1, 2])
        let exponential = try registry.exponentialHistogram("e_seconds", help: "E.")
        let result = histogram.time {
            exponential.time {
                time.advance(by: .seconds(1.5))
                return "done"
            }
        }
        #expect(result == "done")
        #expect(throws: Failure.self) {
            try histogram.time {
                time.advance(by: .seconds(3))
                throw Failure()
            }
        }
        #expect(histogram.count == 2 && histogram.sum == 4.5)
        #expect(exponential.data.count == 1 && exponential.data.sum == 1.5)
    }

    @MainActor
    @Test("An asynchronous block is timed on its actor, including its waits, also if it throws")
    func asynchronousTimer() async throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let histogram = try registry.histogram("h_seconds", help: "H.", buckets: [1, 2])
        let exponential = try registry.exponentialHistogram("e_seconds", help: "E.")
        var visits = 0
        let result = await histogram.time {
            MainActor.assertIsolated()
            visits += 1
            await Task.yield()
            time.advance(by: .seconds(1.25))
            return visits
        }
        #expect(result == 1)
        await #expect(throws: Failure.self) {
            try await histogram.time {
                try await exponential.time {
                    MainActor.assertIsolated()
                    await Task.yield()
                    time.advance(by: .seconds(2))
                    throw Failure()
                }
            }
        }
        #expect(histogram.count == 2 && histogram.sum == 3.25)
        #expect(exponential.data.count == 1 && exponential.data.sum == 2)
    }

    @Test("An Int is added as it is; a negative one is refused and counted")
    func signedIncrements() throws {
        let registry = Registry()
        let counter = try registry.counter("c_total", help: "C.")
        let steps = [3, 4]
        counter.increment(by: steps.count)
        counter.increment(by: 5)
        counter.increment(by: .max)
        counter.increment(by: Int.min)
        counter.increment(by: steps.count - 3)
        #expect(counter.value == 6)
        #expect(registry.refusedIncrements == 2)
        counter.increment(by: -steps.count, exemplar: ["a": "b"])
        counter.increment(by: steps.count, exemplar: ["a": "b"])
        #expect(counter.value == 8)
        #expect(registry.refusedIncrements == 3)
        #expect(registry.collect().series("c_total")?.exemplars.map(\.value) == [2])
    }

    @Test("A refused increment of a floating-point counter keeps no exemplar")
    func floatExemplars() throws {
        let registry = Registry()
        let counter = try registry.floatCounter("c_total", help: "C.")
        for amount in [1.5, -1, .nan, .infinity] { counter.increment(by: amount, exemplar: ["amount": "\(amount)"]) }
        #expect(counter.value == 1.5 && registry.refusedIncrements == 3)
        #expect(registry.collect().series("c_total")?.exemplars.map(\.value) == [1.5])
    }
}
