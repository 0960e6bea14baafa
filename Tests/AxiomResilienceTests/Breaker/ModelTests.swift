// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("The circuit breaker's state machine beside a slow and obvious one")
struct ModelTests {
    private struct Tally: Sendable {
        var histories = 0
        var offered = 0
        var edges: Set<CircuitEdge> = []
        var shadowEdges: Set<CircuitEdge> = []
        var difference: String?
    }

    private static func live(_ seeds: Range<UInt64>, steps: Int) -> Tally {
        var tally = Tally()
        for seed in seeds {
            var history = RandomHistory(seed: seed)
            history.live(steps: steps)
            tally.histories += 1
            tally.offered += history.offered
            for transition in history.transitions {
                if transition.isShadow {
                    tally.shadowEdges.insert(transition.edge)
                } else {
                    tally.edges.insert(transition.edge)
                }
            }
            if let difference = history.difference {
                tally.difference = "seed \(seed): \(difference)"
                break
            }
        }
        return tally
    }

    private static func live(histories: UInt64, steps: Int, firstSeed: UInt64) async -> Tally {
        await withTaskGroup(of: Tally.self) { group in
            let part = histories / 4
            for index in 0..<4 {
                let first = firstSeed + UInt64(index) * part
                group.addTask { live(first..<first + part, steps: steps) }
            }
            return await group.reduce(into: Tally()) { sum, tally in
                sum.histories += tally.histories
                sum.offered += tally.offered
                sum.edges.formUnion(tally.edges)
                sum.shadowEdges.formUnion(tally.shadowEdges)
                sum.difference = sum.difference ?? tally.difference
            }
        }
    }

    @Test("Both decide and count the same at every step of 100,000 short histories, and calls are conserved")
    func shortHistories() async {
        let count = TestScale.count(100_000) / 4 * 4
        let tally = await Self.live(histories: UInt64(count), steps: 12, firstSeed: 1)
        #expect(tally.difference == nil)
        #expect(tally.histories == count)
        #expect(tally.offered > 5 * count)
    }

    @Test("Both do so in long histories, which make every transition of the table, and no other")
    func longHistories() async {
        let tally = await Self.live(histories: 2_000, steps: 250, firstSeed: 1 << 32)
        #expect(tally.difference == nil)
        #expect(Set(CircuitEdge.all).symmetricDifference(tally.edges).isEmpty)
        let decided: [CircuitState] = [.closed, .open, .halfOpen]
        let between = CircuitEdge.all.filter { decided.contains($0.from) && decided.contains($0.to) }
        #expect(Set(between).symmetricDifference(tally.shadowEdges).isEmpty)
    }

    @Test("Each transition begins in the state in which the last one ended: in shadow mode, and outside of it")
    func chains() {
        for seed in 1...500 as ClosedRange<UInt64> {
            var history = RandomHistory(seed: seed << 8)
            history.live(steps: 250)
            var ends: [Bool: CircuitState] = [:]
            for transition in history.transitions {
                if let end = ends[transition.isShadow] {
                    #expect(transition.from == end, "seed \(seed << 8), \(transition.instant)")
                }
                ends[transition.isShadow] = transition.to
                // A new mode begins a new chain of shadow mode, in the state that the breaker has.
                if transition.reason == .reconfigured { ends[true] = nil }
            }
        }
    }
}
