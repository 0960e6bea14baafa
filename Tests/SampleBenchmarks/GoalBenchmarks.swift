// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import CAxiomCounters
import Foundation

/// Benchmarks with goals of each kind. `SAMPLE_SLOW` is the name of the one that is slow in every process, or that crashes.
enum GoalBenchmarks {
    static let suite = BenchmarkSuite("goals") { suite in
        suite.add("floor") { iterations in work(1, iterations) }
        // Read here: a body that reads the environment would measure that, the more so the fewer its iterations are.
        let (ratio, beyond) = (isSlow("ratio") ? 4 : 1, isSlow("beyond") ? 6 : 3)
        suite.add("ratio", options: .goal(.atMost(2, times: "goals/floor"))) { work(ratio, $0) }
        let goal = BenchmarkGoal.atMost(3, times: "goals/floor", without: "goals/ratio")
        suite.addAsync("beyond", options: .goal(goal)) { work(beyond, $0) }
        suite.addValue("count", unit: "1/call", options: .goal(.atMost(0, "allocations of a call"))) {
            let size = isSlow("count") ? 100 : 0
            let before = axiom_allocation_counts_now().allocations
            for index in 0..<100 { blackHole([Int](repeating: index, count: opaque(size))) }
            return Double((axiom_allocation_counts_now().allocations - before) / 100)
        }
        suite.addValue("time", unit: "ms", options: .goal(.atMost(40, "work < 40 ms"))) {
            let start = ContinuousClock.now
            let end = start + .milliseconds(isSlow("time") ? 60 : 1)
            while ContinuousClock.now < end {}
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        suite.addValue("bytes", unit: "bytes", options: .goal(.atMost(4_096, "a page"))) {
            let size = isSlow("bytes") ? 5_000 : 3_000
            let before = axiom_allocation_counts_now().bytes
            blackHole([UInt8](repeating: 1, count: opaque(size)))
            return Double(axiom_allocation_counts_now().bytes - before)
        }
        suite.addValue("repetitions", unit: "1", options: .goal(.atMost(20, "a fifth of 100"))) {
            Double(Repetitions.count(100, least: 10))
        }
        addOpen(to: &suite)
    }

    /// Goals that are missed and held by a ceiling, and what is no judgement.
    private static func addOpen(to suite: inout BenchmarkSuite) {
        let goal = BenchmarkGoal.atMost(60, "a value < 60").held(at: 200, margin: 0.1)
        suite.addValue("held", unit: "x", options: .goal(goal)) {
            isSlow("held") ? 230 : SampleBenchmarks.number("SAMPLE_HELD").map(Double.init) ?? 196
        }
        // Above its goal in all processes but the last of ten, if they are counted.
        suite.addValue("late", unit: "x", options: .goal(.atMost(10, "a value < 10"))) {
            isSlow("late") && SampleBenchmarks.timesCalled() < 9 ? 11 : 10
        }
        suite.addValue("nothing", unit: "x", options: .goal(.atMost(1, "a number"))) {
            if isSlow("crash") { exit(9) }
            return .nan
        }
        suite.addUnmeasured("unmeasured", goal: .atMost(1, "a display"), reason: "n/a: no display")
        if isSlow("unknown") {
            suite.add("unknown", options: .goal(.atMost(1, times: "goals/none"))) { iterations in work(1, iterations) }
        }
    }

    private static func isSlow(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment["SAMPLE_SLOW"] == name
    }

    /// Some microseconds for each iteration.
    private static func work(_ factor: Int, _ iterations: Int) {
        var sum: UInt64 = 1
        for _ in 0..<(iterations * factor * 200) { sum = opaque(sum) &* 6_364_136_223_846_793_005 &+ 1 }
        blackHole(sum)
    }
}
