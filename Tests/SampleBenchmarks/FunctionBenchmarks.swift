// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking

/// A benchmark of three functions. `SAMPLE_FUNCTIONS` is the work of the second one.
enum FunctionBenchmarks {
    static let suite = BenchmarkSuite("functions") { suite in
        suite.add("tree", fixture: SampleBenchmarks.number("SAMPLE_FUNCTIONS") ?? 1) { work, iterations in
            for _ in 0..<iterations { blackHole(FunctionTree.whole(work)) }
        }
    }
}

enum FunctionTree {
    @inline(never)
    static func whole(_ work: Int) -> UInt64 { first(200) &+ second(work) }

    @inline(never)
    static func first(_ work: Int) -> UInt64 {
        var value: UInt64 = 1
        for _ in 0..<work { value = opaque(value) &* 6_364_136_223_846_793_005 &+ 1 }
        return third(work) &+ value
    }

    @inline(never)
    static func second(_ work: Int) -> UInt64 {
        var value: UInt64 = 2
        for _ in 0..<work { value = opaque(value) &* 6_364_136_223_846_793_005 &+ 3 }
        return value
    }

    @inline(never)
    static func third(_ work: Int) -> UInt64 {
        var value: UInt64 = 3
        for _ in 0..<work { value = opaque(value) &* 6_364_136_223_846_793_005 &+ 5 }
        return value
    }
}
