// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("The table of a cache", .timeLimit(.minutes(10)))
struct CacheTableTests {
    @Test("The table finds what a dictionary has, also with equal hashes, and releases each value once (CLI-15)")
    func model() {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(2_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let alive = CountedValue.Tracker()
            let hashes = 1 + random.index(below: 40)
            do {
                var table = CacheTable<Int, CountedValue>()
                var slots: [Int: Int] = [:]
                for number in 0..<300 {
                    if random.index(below: 5) < 3 {
                        let hash = UInt64(random.index(below: hashes)) << UInt64(random.index(below: 2) * 58)
                        slots[number] = table.insert(entry(number, hash, CountedValue(number, alive)))
                    } else if let (former, slot) = slots.min(by: { $0.key < $1.key }) {
                        #expect(table.remove(slot).value.number == former)
                        slots[former] = nil
                    }
                    guard number % 20 == 0 else { continue }
                    #expect(table.count == slots.count && alive.value == slots.count)
                    expectFound(table, slots)
                }
            }
            #expect(alive.value == 0)
        }
    }

    private func expectFound(_ table: borrowing CacheTable<Int, CountedValue>, _ slots: [Int: Int]) {
        let hashes = Dictionary(grouping: slots.values) { table.entry($0).hash }
        for (hash, expected) in hashes {
            #expect(table.all(hash).sorted() == expected.sorted())
            #expect(expected.contains(table.index.first(hash)))
        }
        for (number, slot) in slots { #expect(table.entry(slot).value.number == number) }
        #expect(table.index.first(77_777) == -1 && table.all(77_777).isEmpty)
    }

    private func entry(_ number: Int, _ hash: UInt64, _ value: CountedValue) -> CacheEntry<Int, CountedValue> {
        CacheEntry(hash: hash, number: UInt64(number), storedAt: 0, cost: 0, key: number, value: value)
    }
}
