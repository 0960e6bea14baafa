// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomBenchmarking

@Suite("How suites are declared")
struct BenchmarkSuiteTests {
    private final class Item: Sendable {}

    @Test("A body consumes the state that setUp makes for each sample, and tearDown receives what is left")
    func consumingBody() throws {
        let made = Lock<[Int]>([])
        let left = Lock<[[Int]]>([])
        let suite = BenchmarkSuite("queue") { suite in
            suite.add(
                "drain",
                options: .concurrent,
                setUp: { iterations in
                    made.withLock { $0.append(iterations) }
                    return Array(0...iterations)
                },
                tearDown: { rest in left.withLock { $0.append(rest) } },
                { numbers, iterations in for _ in 0..<iterations { blackHole(opaque(numbers.removeLast())) } }
            )
        }
        let benchmark = try #require(suite.benchmarks.first)
        #expect(benchmark.id == "queue/drain")
        #expect(!benchmark.options.isPinned && !benchmark.options.judgesTime)
        guard case .body(let make) = benchmark.work else { throw WrongWork() }
        #expect(made.withLock { $0 } == [])
        let body = try make()
        for iterations in [2, 3] { try body(iterations, Meter()) }
        #expect(made.withLock { $0 } == [2, 3])
        #expect(left.withLock { $0 } == [[0], [0]])
    }

    private struct WrongWork: Error {}

    @Test("A value passes unchanged through what the compiler cannot see, and nothing keeps it")
    func opaqueValues() {
        #expect(opaque("axiom") == "axiom")
        weak var kept: Item?
        do {
            let item = opaque(Item())
            kept = item
            blackHole(item)
            #expect(kept === item)
        }
        #expect(kept == nil)
    }
}
