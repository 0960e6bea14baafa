// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@testable import AxiomInstrumentation

@Suite("The ring of spans", .timeLimit(.minutes(10)))
struct SpanRingTests {
    /// A span whose words all follow from one number.
    static func words(_ number: UInt64) -> SpanWords {
        SpanWords(
            span: number,
            parent: ~number,
            trace: number &* 3,
            start: Int64(truncatingIfNeeded: number),
            nanoseconds: Int64(truncatingIfNeeded: number &* 5),
            what: number &* 7,
            who: number &* 11
        )
    }

    @Test("Memory that the system does not have is an error, not a trap")
    func noMemory() {
        #expect(throws: TelemetryError.self) { try SpanMemory(bytes: 1 << 60) }
    }

    @Test("The latest spans of one thread are in the ring, each once, and the others are counted as overwritten")
    func latest() throws {
        let ring = try SpanRing(bytes: 1 << 17)
        let total = ring.slotCount * 3 + 17
        for number in 1...UInt64(total) {
            var words = Self.words(number)
            _ = ring.append(&words) { $0 }
        }
        var found: [UInt64] = []
        ring.readEach { found.append($0.span) }
        let counts = ring.counts
        #expect(counts.recorded == UInt64(total))
        #expect(UInt64(found.count) == counts.recorded - counts.overwritten)
        #expect(Set(found).count == found.count)
        // At most one chunk is empty, because it is being filled.
        #expect(found.count > ring.slotCount - 64)
        #expect(found.sorted() == Array((UInt64(total - found.count) + 1)...UInt64(total)))
    }

    @Test("A chunk that a shard has begun is not overwritten until the shard has filled it")
    func ownedChunks() throws {
        let ring = try SpanRing(bytes: 1 << 17)
        var first: Set<UInt64> = []
        /// Writes one span in each shard, because each is claimed while the next span is written.
        func write(_ count: Int) {
            guard count > 0 else { return }
            var words = Self.words(0)
            _ = ring.append(&words) { number in
                write(count - 1)
                return number
            }
            first.insert(words.span)
        }
        write(Shards.count)
        for number in 0..<UInt64(ring.slotCount * 3) {
            var words = Self.words(1 << 40 | number)
            _ = ring.append(&words) { $0 }
        }
        var found: [UInt64] = []
        ring.readEach { found.append($0.span) }
        #expect(first.count == Shards.count)
        #expect(first.intersection(found).count == Shards.count - 1, "one shard has been filled since")
        #expect(Set(found).count == found.count)
        #expect(ring.counts.recorded == UInt64(found.count) + ring.counts.overwritten)
    }

    @Test("Spans without an id get one, and no two get the same")
    func identifiers() throws {
        let ring = try SpanRing(bytes: 1 << 17)
        var seen: Set<UInt64> = []
        for _ in 0..<10_000 {
            var words = Self.words(0)
            words.trace = 0
            _ = ring.append(&words) { $0 &* 3 }
            #expect(words.trace == words.span)
            seen.insert(words.span)
        }
        #expect(seen.count == 10_000)
    }

    @Test("A mark lasts as long as its span, and overwritten spans are counted by their marks")
    func marks() throws {
        let ring = try SpanRing(bytes: 1 << 17)
        var stamps: [UInt64] = []
        func fill(_ count: Int) {
            for number in 0..<count {
                var words = Self.words(UInt64(number + 1))
                stamps.append(ring.append(&words) { $0 })
            }
        }
        fill(10)
        #expect(ring.keep(stamps[0]) && ring.keep(stamps[1]))
        #expect(!ring.keep(stamps[0]), "it is marked already")
        #expect(ring.release(stamps[1]))
        fill(ring.slotCount * 2)
        #expect(!ring.keep(stamps[2]) && !ring.release(stamps[0]), "they are overwritten")
        #expect(ring.counts.overwrittenKept == 1)
        #expect(!ring.keep(0), "a span that was dropped has no stamp")
    }

    @Test("A span that is written while it is read is not read, at a slot that two threads use all the time")
    func tornSlot() throws {
        let (memory, flag) = (try SpanMemory(bytes: SpanSlot.bytes), Flag())
        let slot = SpanSlot(memory.words, 0)
        Thread.detachNewThread {
            for number in 1...300_000 as ClosedRange<UInt64> {
                slot.stamp[0].store(0, ordering: .relaxed)
                atomicMemoryFence(ordering: .releasing)
                slot.write(Self.words(number), stamp: number << 1)
            }
            flag.set()
        }
        var torn = 0
        while !flag.isSet {
            if let (span, stamp) = slot.read(), span != Self.words(stamp >> 1) { torn += 1 }
        }
        #expect(torn == 0)
        withExtendedLifetime(memory) {}
    }

    @Test("Beside eight writing threads a reader never gets a torn span, and every span is counted")
    func tornReads() async throws {
        let (ring, each) = (try SpanRing(bytes: 1 << 17), max(50_000, TestScale.count(10_000_000, usual: 0.01)))
        let flag = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var reads = 0
                repeat {
                    ring.readEach { span in
                        reads += 1
                        if span != Self.words(span.span) { Issue.record("\(span) is torn") }
                    }
                } while !flag.isSet
                #expect(reads > 0)
            }
            await withTaskGroup(of: Void.self) { writers in
                for writer in 0..<8 {
                    writers.addTask {
                        for number in 1...each {
                            var words = Self.words(UInt64(writer) << 32 | UInt64(number))
                            _ = ring.append(&words) { $0 }
                        }
                    }
                }
            }
            flag.set()
        }
        var inRing: UInt64 = 0
        ring.readEach { _ in inRing += 1 }
        let counts = ring.counts
        #expect(counts.recorded + counts.contended == UInt64(8 * each))
        #expect(counts.recorded == inRing + counts.overwritten)
    }
}
#endif
