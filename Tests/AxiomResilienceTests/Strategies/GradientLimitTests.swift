// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("Gradient limit")
struct GradientLimitTests {
    @Test("Under any latencies the limit stays in its bounds")
    func bounds() throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            var settings = AdaptiveLimit()
            settings.minimum = Int.random(in: 1...50, using: &generator)
            settings.maximum = Int.random(in: settings.minimum...300, using: &generator)
            settings.initial = Int.random(in: settings.minimum...settings.maximum, using: &generator)
            var limit = try GradientLimit(settings)
            for _ in 0..<500 {
                let latency = Duration.nanoseconds(Int64.random(in: -5...(1 << 40), using: &generator))
                limit.record(latency: latency, inFlight: Int.random(in: 0...400, using: &generator))
                #expect((settings.minimum...settings.maximum).contains(limit.limit), "seed \(seed)")
            }
        }
    }

    @Test("Settings beyond what a limit can be are refused, and the longest latency is one")
    func extremes() throws {
        var settings = AdaptiveLimit()
        (settings.minimum, settings.maximum, settings.initial) = (.max, .max, .max)
        let error = #expect(throws: ResilienceError.self) { try GradientLimit(settings) }
        #expect(error?.message.contains("1,000,000") == true)
        var limit = try GradientLimit()
        limit.record(latency: .seconds(Int64.max), inFlight: 1)
        #expect(limit.averageLatency > .seconds(9_000_000_000))
    }

    @Test("Steady latency at full use raises the limit to the maximum")
    func growth() throws {
        var limit = try GradientLimit()
        for _ in 0..<2_000 { limit.record(latency: .milliseconds(5), inFlight: limit.limit) }
        #expect(limit.limit == 200)
        #expect(limit.averageLatency == .milliseconds(5))
    }

    @Test("A server that queues beyond its capacity holds the limit above the capacity and well below the maximum")
    func convergence() throws {
        var settings = AdaptiveLimit()
        settings.maximum = 1_000
        var limit = try GradientLimit(settings)
        for _ in 0..<300 { limit.record(latency: .milliseconds(10), inFlight: 15) }
        // 50 calls at once take 10 ms; beyond that, latency grows with the queue.
        var highest = 0
        for _ in 0..<300 {
            limit.record(latency: .milliseconds(10) * max(1, Double(limit.limit) / 50), inFlight: limit.limit)
            highest = max(highest, limit.limit)
        }
        #expect((50..<200).contains(limit.limit) && highest < 200)
    }

    @Test("A jump in latency lowers the limit, and the return to normal raises it again")
    func recovery() throws {
        var limit = try GradientLimit()
        for _ in 0..<1_000 { limit.record(latency: .milliseconds(1), inFlight: limit.limit) }
        #expect(limit.limit == 200)
        for _ in 0..<40 { limit.record(latency: .milliseconds(20), inFlight: limit.limit) }
        #expect(limit.limit < 50)
        for _ in 0..<1_000 { limit.record(latency: .milliseconds(1), inFlight: limit.limit) }
        #expect(limit.limit == 200)
    }

    @Test("Where less than half of the limit is in use, it stays")
    func idle() throws {
        var limit = try GradientLimit()
        for _ in 0..<100 { limit.record(latency: .milliseconds(1), inFlight: 9) }
        #expect(limit.estimate == 20)
        limit.record(latency: .milliseconds(1), inFlight: 10)
        #expect(abs(limit.estimate - 20.8) < 1e-9)
    }

    @Test("One call follows the formula")
    func formula() throws {
        var settings = AdaptiveLimit()
        settings.initial = 100
        settings.minimum = 1
        var limit = try GradientLimit(settings)
        for _ in 0..<10 { limit.record(latency: .milliseconds(10), inFlight: 0) }
        limit.record(latency: .milliseconds(20), inFlight: 100)
        let average = 10.0 * (1 - 2.0 / 601) + 20 * (2.0 / 601)
        let expected = 100 * 0.8 + (100 * (1.5 * average / 20) + 4) * 0.2
        #expect(abs(limit.estimate - expected) < 1e-9)
    }

    @Test("An average of more than twice the latency shrinks by 5 % for each call")
    func averageRecovers() throws {
        var limit = try GradientLimit()
        for _ in 0..<10 { limit.record(latency: .milliseconds(100), inFlight: 0) }
        limit.record(latency: .milliseconds(1), inFlight: 0)
        let average = (100 * (1 - 2.0 / 601) + 2.0 / 601) * 0.95
        #expect(abs(limit.averageLatency / .milliseconds(1) - average) < 1e-5)
    }

    @Test("Settings out of range are refused with their name")
    func invalid() {
        func check(_ setting: String, _ change: (inout AdaptiveLimit) -> Void) {
            var settings = AdaptiveLimit()
            change(&settings)
            let error = #expect(throws: ResilienceError.self) { try GradientLimit(settings) }
            #expect(error?.message.hasPrefix("GradientLimit: \(setting) is ") == true)
        }
        check("minimum") { $0.minimum = 0 }
        check("maximum") { $0.maximum = 19 }
        check("maximum") { $0.maximum = 1_000_001 }
        check("initial") { $0.initial = 201 }
        check("tolerance") { $0.tolerance = 0.9 }
        check("smoothing") { $0.smoothing = .nan }
        check("queueSize") { $0.queueSize = -1 }
        check("longWindow") { $0.longWindow = 0 }
    }
}
