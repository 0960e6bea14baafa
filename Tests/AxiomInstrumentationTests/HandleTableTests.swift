// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Testing

@testable import AxiomInstrumentation

@Suite("Tables of handles")
struct HandleTableTests {
    @Test("Each index gives its handle on all threads, and no use is lost")
    func use() async {
        let tallies = (0..<7).map { _ in Tally() }
        let table = HandleTable(tallies)
        #expect(table.count == 7)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for turn in 0..<7_000 { table[turn % 7]._withUnsafeGuaranteedRef { $0.increment() } }
                }
            }
        }
        #expect(tallies.map(\.value) == Array(repeating: 4_000, count: 7))
        #expect(zip(table.handles, tallies).allSatisfy { $0 === $1 })
    }

    @Test("The table retains its handles for its own lifetime")
    func lifetime() {
        weak var handle: Tally?
        var table: HandleTable<Tally>?
        do {
            let tally = Tally()
            handle = tally
            table = HandleTable([tally])
        }
        table?[0]._withUnsafeGuaranteedRef { $0.increment() }
        #expect(handle?.value == 1)
        table = nil
        #expect(handle == nil)
    }

    @Test("A table may be empty")
    func empty() {
        #expect(HandleTable<Tally>([]).count == 0)
        #expect(HandleTable<Tally>([]).handles.isEmpty)
    }
}
