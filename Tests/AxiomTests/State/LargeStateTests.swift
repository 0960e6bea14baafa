// SPDX-License-Identifier: Apache-2.0

import HashTreeCollections
import Synchronization
import Testing

@testable import Axiom

/// A value that counts its comparisons.
private struct Compared: Hashable, Sendable {
    static let comparisons = Atomic(0)
    var number: Int

    static func == (left: Self, right: Self) -> Bool {
        comparisons.add(1, ordering: .relaxed)
        return left.number == right.number
    }
}

private struct LargeState: OwnedState {
    var entries: TreeDictionary<Int, Compared>
    init(_ count: Int) {
        entries = TreeDictionary(uniqueKeysWithValues: (0..<count).map { ($0, Compared(number: 0)) })
    }
}

@Suite("Large states", .timeLimit(.minutes(10)), .serialized)
struct LargeStateTests {
    @Test("An update of one entry compares a few entries, as many with 100,000 as with 1,000 (STA-16)")
    func comparisons() {
        func comparisons(_ count: Int) -> Int {
            let store = StateStore(LargeState(count))
            let before = Compared.comparisons.load(ordering: .relaxed)
            for number in 1...100 { store.update { $0.entries[number * 7 % count] = Compared(number: number) } }
            #expect(store.version.number == 100)
            return Compared.comparisons.load(ordering: .relaxed) - before
        }
        let (small, large) = (comparisons(1_000), comparisons(100_000))
        // A path through the tree: at most 32 entries in each of its four nodes.
        #expect(small < 100 * 128 && large < 100 * 128, "\(small) and \(large)")
    }

    @Test("An update that changes nothing compares nothing and publishes nothing (STA-16)")
    func unchanged() {
        let store = StateStore(LargeState(100_000))
        let before = Compared.comparisons.load(ordering: .relaxed)
        store.update { _ in }
        #expect(Compared.comparisons.load(ordering: .relaxed) == before)
        #expect(store.version.number == 0)
    }

    @Test("A state with a persistent collection is accepted at the start (STA-02, STA-16)")
    func accepted() {
        #expect(TypeContents.reference(in: LargeState.self) == nil)
        struct Holding { var handles: TreeDictionary<Int, [Journal<Int>]> = [:] }
        #expect(TypeContents.reference(in: Holding.self)?.type == "Journal<Int>")
    }
}
