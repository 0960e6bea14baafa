// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomMetrics

/// What recording, looking up and keeping series cost.
enum MetricsSuite {
    static let suite = BenchmarkSuite("metrics") { suite in
        addScalars(to: &suite)
        addHistograms(to: &suite)
        addLookups(to: &suite)
        addShared(to: &suite)
        MetricsCrowdRows.add(to: &suite)
    }

    private enum Outcome: String, LabelValue, CaseIterable {
        case success
        case failure
        case cancelled
        case rejected
    }

    /// 1,024 times between 0 and 12 s, as no branch predictor expects them.
    static let times: [Double] = {
        var state: UInt64 = 1
        return (0..<1_024).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return Double(state >> 40) / Double(1 << 24) * 12
        }
    }()

    /// - Parameter measured: What a goal that is missed is held at; see ``BenchmarkGoal/held(at:margin:)``.
    private static func floor(_ limit: Double, measured: Double? = nil) -> BenchmarkOptions {
        let goal = BenchmarkGoal.atMost(limit, times: "floor/atomic.add")
        return .goal(measured.map { goal.held(at: $0) } ?? goal)
    }

    private static func addScalars(to suite: inout BenchmarkSuite) {
        suite.add("counter.increment", options: floor(1.2), fixture: try Registry().counter("c_total", help: "C.")) {
            counter,
            iterations in
            for _ in 0..<iterations { counter.increment() }
        }
        suite.add("floatcounter.increment", fixture: try Registry().floatCounter("f_total", help: "C.")) {
            counter,
            iterations in
            for _ in 0..<iterations { counter.increment(by: 0.5) }
        }
        var store = floor(1.2)
        // One store: a processor completes one or more of them in each cycle.
        store.isBelowNanosecond = true
        suite.add("gauge.set", options: store, fixture: try Registry().gauge("g", help: "G.")) { gauge, iterations in
            for index in 0..<iterations {
                gauge.set(Double(index))
                // Between two settings the gauge may be read: without this the compiler keeps only some of them.
                blackHole(gauge)
            }
        }
    }

    private static func addHistograms(to suite: inout BenchmarkSuite) {
        suite.add(
            "histogram.observe",
            options: floor(2.5, measured: 2.6),
            fixture: try Registry().histogram("h", help: "H.")
        ) {
            histogram,
            iterations in
            let times = times
            for index in 0..<iterations { histogram.observe(times[index & 1_023]) }
        }
        suite.add("histogram.observe.ns", fixture: try Registry().histogram("h", help: "H.")) {
            histogram,
            iterations in
            let nanoseconds = nanoseconds
            for index in 0..<iterations { histogram.observe(nanoseconds: nanoseconds[index & 1_023]) }
        }
        suite.add(
            "exponential.observe",
            options: floor(2.5, measured: 2.95),
            fixture: try Registry().exponentialHistogram("e", help: "H.")
        ) { histogram, iterations in
            let times = times
            for index in 0..<iterations { histogram.observe(times[index & 1_023]) }
        }
    }

    private static let nanoseconds = times.map { Int64($0 * 1e9) }

    private static func addLookups(to suite: inout BenchmarkSuite) {
        suite.add("family.lookup", options: floor(20, measured: 45), fixture: try family()) { family, iterations in
            let (client, action) = ("ShoppingCartClient7", "addItemToCart3")
            for _ in 0..<iterations { blackHole(family(client, action)) }
        }
        suite.add("family.lookup.three", options: floor(35), fixture: try regions()) { family, iterations in
            let (client, action, region) = ("ShoppingCartClient-7", "addItemToCartAction3", "european-region-0001")
            for _ in 0..<iterations { blackHole(family(client, action, region)) }
        }
        let outcomes = (0..<1_024).map { Outcome.allCases[$0 * 7 % 4] }
        var kept = floor(2, measured: 3.8)
        // Version 1 left out the retain and the release of the counter that is found.
        kept.version = 2
        suite.add("family.lookup.enum", options: kept, fixture: try Self.outcomes()) { family, iterations in
            for index in 0..<iterations { blackHole(family(outcomes[index & 1_023])) }
        }
    }

    /// What two threads pay for one instrument, which is divided into shards once they meet: adding to a shard is no longer
    /// inlined.
    private static func addShared(to suite: inout BenchmarkSuite) {
        shared("counter.increment", to: &suite, try Registry().counter("c_total", help: "C.")) {
            counter,
            iterations in
            for _ in 0..<iterations { counter.increment() }
        }
        shared("histogram.observe", to: &suite, try Registry().histogram("h", help: "H.")) {
            histogram,
            iterations in
            let times = times
            for index in 0..<iterations { histogram.observe(times[index & 1_023]) }
        }
        shared("exponential.observe", to: &suite, try Registry().exponentialHistogram("e", help: "H.")) {
            histogram,
            iterations in
            let times = times
            for index in 0..<iterations { histogram.observe(times[index & 1_023]) }
        }
    }

    private static func shared<Instrument: Sendable>(
        _ id: String,
        to suite: inout BenchmarkSuite,
        _ make: @autoclosure @escaping @Sendable () throws -> Instrument,
        _ body: @escaping @Sendable (Instrument, Int) -> Void
    ) {
        let goal = BenchmarkGoal.atMost(1.2, times: "metrics/\(id)").held(at: 1.6)
        suite.addPair("\(id)/2 threads", goal: goal, shared: try make(), body)
    }

    static func family() throws -> Family<Counter, String, String> {
        let family = try Registry().counters(
            "strings_total",
            help: "C.",
            labels: Label<String>("client"),
            Label<String>("action")
        )
        for client in 0..<32 {
            for action in 0..<16 { _ = family("ShoppingCartClient\(client)", "addItemToCart\(action)") }
        }
        return family
    }

    /// Three labels of 20 characters each.
    private static func regions() throws -> Family<Counter, String, String, String> {
        let family = try Registry().counters(
            "regions_total",
            help: "C.",
            labels: Label<String>("client"),
            Label<String>("action"),
            Label<String>("region")
        )
        for client in 0..<10 {
            for action in 0..<10 {
                for region in 0..<5 {
                    _ = family(
                        "ShoppingCartClient-\(client)",
                        "addItemToCartAction\(action)",
                        "european-region-000\(region)"
                    )
                }
            }
        }
        return family
    }

    private static func outcomes() throws -> Family<Counter, Outcome> {
        let family = try Registry().counters("enums_total", help: "C.", labels: Label<Outcome>("outcome"))
        for outcome in Outcome.allCases { _ = family(outcome) }
        return family
    }
}
