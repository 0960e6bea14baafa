// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The machine of a pool against a model", .timeLimit(.minutes(10)))
struct PoolModelTests {
    /// The number of histories: `full` times AXIOM_TEST_SCALE, and a twentieth without it.
    static func count(_ full: Int) -> Int {
        TestScale.count(full)
    }

    @Test("100,000 random histories keep the limit, the order of waiters and every connection (CLI-16)")
    func histories() {
        let seed = TestSeed.drawn()
        for history in 0..<Self.count(100_000) {
            let random = SeededGenerator(seed: seed, stream: UInt64(history))
            guard let problem = Self.run(random, PoolJournal(writes: false)) else { continue }
            let journal = PoolJournal(writes: true)
            _ = Self.run(random, journal)
            Issue.record("history \(history): \(problem)\n\(journal.lines.joined(separator: "\n"))")
            return
        }
    }

    private static func run(_ random: SeededGenerator, _ journal: PoolJournal) -> String? {
        var model = PoolModel(random, journal)
        for _ in 0..<40 where journal.problem == nil { model.step() }
        model.finish()
        return journal.problem
    }

    @Test("Connections that were created together are closed at different ages, at 90 to 100 % of the limit")
    func ages() {
        let rules = PoolRules(limit: 100, ageLimit: .seconds(1_000))
        var machine = PoolMachine<Int, Int>(rules, seed: TestSeed.drawn())
        var effects = PoolMachine<Int, Int>.Effects()
        let start = Instant(nanoseconds: 0)
        for call in 0..<100 { _ = machine.acquire(call, deadline: nil, at: start, &effects) }
        for number in effects.creations { machine.created(number, number, at: start, &effects) }
        for (_, lease) in effects.served { machine.returned(lease, isSuspect: false, at: start, &effects) }
        var closed: [Int: Int] = [:]
        for second in 1...1_000 {
            var effects = PoolMachine<Int, Int>.Effects()
            machine.sweep(at: start.advanced(by: .seconds(second)), &effects)
            closed[second] = effects.closings.count
        }
        #expect(closed.values.reduce(0, +) == 100 && closed.values.max() ?? 0 <= 12)
        #expect(closed.filter { $0.value > 0 }.keys.min() ?? 0 >= 900)
    }
}
