// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import ShopLoad
import Testing

@Suite("The table of faults")
struct FaultTableTests {
    @Test("Each fault has one fate, whether the server or the application reports first", arguments: 0..<20)
    func oneFate(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let table = FaultTable()
        let fates: [Fate] = [.answered, .recovered, .shown, .cancelled]
        var expected: [Fate: Int] = [:]
        for request in 1...500 as ClosedRange<UInt64> {
            let fate = fates.randomElement(using: &generator) ?? .answered
            let isFaulty = Bool.random(using: &generator)
            // Only a cancelled request can end before the server reports its fault.
            if fate == .cancelled, Bool.random(using: &generator) {
                table.settle(request, fate)
                if isFaulty { _ = table.serve(request) }
            } else {
                if isFaulty { _ = table.serve(request) }
                table.settle(request, fate)
            }
            if isFaulty { expected[fate, default: 0] += 1 }
        }
        let counts = table.counts
        #expect(counts.served == expected.values.reduce(0, +))
        #expect(counts.recovered == expected[.answered, default: 0] + expected[.recovered, default: 0])
        #expect(counts.shown == expected[.shown, default: 0])
        #expect(counts.cancelled == expected[.cancelled, default: 0])
        #expect(counts.open == 0)
    }

    @Test("A request without a fate is open, and only the first report about it counts")
    func open() {
        let table = FaultTable()
        let request: UInt64 = 7
        #expect(table.serve(request))
        #expect(table.counts.open == 1)
        table.settle(request, .recovered)
        table.settle(request, .shown)
        #expect(table.counts == FaultTable.Counts(served: 1, recovered: 1))
    }

    @Test("A closed table lets the server serve no further fault")
    func closed() {
        let table = FaultTable()
        table.close()
        #expect(!table.serve(1))
        #expect(table.counts.served == 0)
    }
}
