// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@testable import AxiomMetrics

@Suite("Byte table")
struct ByteTableTests {
    /// How many items there are at the moment.
    private final class Census: Sendable {
        let living = Atomic<Int>(0)
    }

    private final class Item: ByteKeyed {
        let tableKey: [UInt8]
        private let census: Census

        init(_ number: Int, _ census: Census) {
            tableKey = Self.key(number)
            self.census = census
            census.living.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { census.living.wrappingSubtract(1, ordering: .relaxed) }

        static func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }
    }

    /// The table cannot be copied: an object holds it for all threads, and one thread at a time changes it.
    private final class Fixture: Sendable {
        let epochs = ReadEpochs()
        let census = Census()
        let table: ByteTable<Item>

        init() { table = ByteTable(epochs) }

        func find(_ number: Int) -> Item? {
            Item.key(number).withUnsafeBytes { table.find($0, hash: table.hash($0)) }
        }

        func insert(_ number: Int) -> Item {
            let item = Item(number, census)
            table.insert(item, hash: item.tableKey.withUnsafeBytes { table.hash($0) })
            return item
        }

        var living: Int { census.living.load(ordering: .relaxed) }
    }

    @Test("Insertions, removals and look-ups in any order agree with a dictionary", arguments: 0..<8)
    func model(_ round: UInt64) {
        let seed = round &* 0x9e37 &+ 77
        var random = SplitMix64(seed: seed)
        let fixture = Fixture()
        var model: [Int: ObjectIdentifier] = [:]
        for step in 0..<4_000 {
            let number = Int(random.next() % 150)
            switch random.next() % 100 {
            case 0:
                fixture.table.removeAll()
                model = [:]
            case 1..<45:
                if model[number] == nil { model[number] = ObjectIdentifier(fixture.insert(number)) }
            case 45..<75:
                let isThere = fixture.find(number).map { fixture.table.remove($0) } ?? false
                #expect(isThere == (model.removeValue(forKey: number) != nil), "seed \(seed), step \(step)")
            default:
                let found = fixture.find(number).map { ObjectIdentifier($0) }
                #expect(found == model[number], "seed \(seed), step \(step)")
            }
            #expect(fixture.table.count == model.count && fixture.living == model.count, "seed \(seed), step \(step)")
        }
        #expect(Set(fixture.table.elements.map { ObjectIdentifier($0) }) == Set(model.values), "seed \(seed)")
        #expect(fixture.table.retiredCount == 0)
    }

    @Test("Memory that a look-up may have seen is freed only after the look-up has ended")
    func readerKeepsAlive() {
        let fixture = Fixture()
        _ = fixture.insert(1)
        let reader = fixture.epochs.readers.enter()
        for number in 2..<200 { _ = fixture.insert(number) }
        for number in 1..<200 { if let item = fixture.find(number) { _ = fixture.table.remove(item) } }
        #expect(fixture.table.count == 0)
        #expect(fixture.living == 199)
        EpochReaders.leave(reader)
        fixture.table.reclaim()
        #expect(fixture.living == 0)
        #expect(fixture.table.retiredCount == 0)
    }

    @Test("Readers that enter after a removal do not delay its release forever")
    func laterReader() {
        let fixture = Fixture()
        _ = fixture.insert(1)
        let first = fixture.epochs.readers.enter()
        if let item = fixture.find(1) { _ = fixture.table.remove(item) }
        let second = fixture.epochs.readers.enter()
        EpochReaders.leave(first)
        fixture.table.reclaim()
        // Both are in one epoch, and the later one saw the table without the item: that is not known of it.
        EpochReaders.leave(second)
        fixture.table.reclaim()
        #expect(fixture.living == 0)
    }

    @Test("A table frees its entries and its retired memory at the end")
    func end() {
        let census = Census()
        do {
            let fixture = Fixture()
            let epochs = fixture.epochs
            let table = ByteTable<Item>(epochs)
            for number in 0..<20 {
                let item = Item(number, census)
                table.insert(item, hash: item.tableKey.withUnsafeBytes { table.hash($0) })
            }
            let reader = epochs.readers.enter()
            for item in table.elements.prefix(5) { _ = table.remove(item) }
            EpochReaders.leave(reader)
        }
        #expect(census.living.load(ordering: .relaxed) == 0)
    }

    @Test(
        "Look-ups from many threads find what stays and never what is freed, while another thread changes the table",
        .timeLimit(.minutes(10))
    )
    func manyThreads() {
        let fixture = Fixture()
        let stays = (0..<50).map { fixture.insert($0) }
        let flags = Flags()
        Threads.run(9) { thread in
            guard thread > 0 else {
                var random = SplitMix64(seed: 4)
                for _ in 0..<20_000 {
                    let number = 50 + Int(random.next() % 200)
                    if let item = fixture.find(number) {
                        _ = fixture.table.remove(item)
                    } else {
                        _ = fixture.insert(number)
                    }
                }
                return flags.isOver.store(true, ordering: .releasing)
            }
            var number = thread
            while !flags.isOver.load(ordering: .acquiring) {
                number = (number &+ 7) % 250
                let found = fixture.find(number)
                if number < 50, found !== stays[number] { flags.misses.wrappingAdd(1, ordering: .relaxed) }
                if let found, found.tableKey != Item.key(number) { flags.wrong.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(flags.misses.load(ordering: .relaxed) == 0)
        #expect(flags.wrong.load(ordering: .relaxed) == 0)
        fixture.table.reclaim()
        #expect(fixture.table.retiredCount == 0)
        #expect(fixture.living == fixture.table.count)
    }
}

/// What threads of a test tell each other.
final class Flags: Sendable {
    let begins = Atomic<Bool>(false)
    let isOver = Atomic<Bool>(false)
    let misses = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
}

/// Runs a body in threads of its own, more than there are processors, and waits for all of them.
enum Threads {
    static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<count {
            Thread.detachNewThread {
                body(thread)
                done.signal()
            }
        }
        for _ in 0..<count { done.wait() }
    }
}
