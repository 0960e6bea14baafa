// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomMetrics

/// What look-ups and recording cost when 1 to 16 threads do it at once.
enum MetricsCrowdRows {
    static func add(to suite: inout BenchmarkSuite) {
        addLookups(to: &suite)
        suite.addCrowds("crowd.counter.increment", goal: 1.5, shared: try Registry().counter("c_total", help: "C.")) {
            counter,
            _,
            iterations in
            for _ in 0..<iterations { counter.increment() }
        }
        suite.addCrowds("crowd.histogram.observe", goal: 1.2, shared: try Registry().histogram("h", help: "H.")) {
            histogram,
            _,
            iterations in
            let times = MetricsSuite.times
            for index in 0..<iterations { histogram.observe(times[index & 1_023]) }
        }
    }

    /// Of one series for all threads, whose reference count they share; of a series for each thread; and, to compare
    /// with, of a dictionary behind a mutex.
    private static func addLookups(to suite: inout BenchmarkSuite) {
        let actions = (0..<16).map { "addItemToCart\($0)" }
        suite.addCrowds("crowd.family.lookup", goal: 4, shared: try MetricsSuite.family()) { family, _, iterations in
            for _ in 0..<iterations { blackHole(family("ShoppingCartClient7", actions[3])) }
        }
        suite.addCrowds("crowd.family.lookup.own", goal: 1.5, shared: try MetricsSuite.family()) {
            family,
            thread,
            iterations in
            let action = actions[thread]
            for _ in 0..<iterations { blackHole(family("ShoppingCartClient7", action)) }
        }
        suite.addCrowds("crowd.dictionary.lookup.own", shared: Self.dictionary()) { dictionary, thread, iterations in
            let action = actions[thread]
            for _ in 0..<iterations { blackHole(dictionary.find("ShoppingCartClient7", action)) }
        }
    }

    private struct Key: Hashable {
        let client: String
        let action: String
    }

    private final class LockedDictionary: Sendable {
        let counters: Lock<[Key: Total]>

        init(_ counters: [Key: Total]) {
            self.counters = Lock(counters)
        }

        func find(_ client: String, _ action: String) -> Total? {
            counters.withLock { $0[Key(client: client, action: action)] }
        }
    }

    private static func dictionary() -> LockedDictionary {
        var counters: [Key: Total] = [:]
        for client in 0..<32 {
            for action in 0..<16 {
                counters[Key(client: "ShoppingCartClient\(client)", action: "addItemToCart\(action)")] = Total()
            }
        }
        return LockedDictionary(counters)
    }
}
