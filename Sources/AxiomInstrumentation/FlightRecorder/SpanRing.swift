// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation
internal import Synchronization

/// The latest spans of all threads, in a ring that new spans overwrite.
///
/// The ring is divided into chunks. A thread claims a shard by one atomic exchange and writes into the shard's chunk. When
/// the chunk is full, the shard takes the oldest chunk of the ring and empties it. All threads therefore share the whole
/// memory, whatever their number. A thread whose shard is claimed tries the other shards. It never waits: if all are
/// claimed, the span is dropped and counted.
final class SpanRing: @unchecked Sendable {
    // Unchecked because of the pointers: a chunk is written by the claimant of the shard that owns it.

    /// The bit of a stamp that marks a span as kept outside the ring. The other bits are the position plus 1.
    static let keptBit: UInt64 = 1

    /// What has happened to the spans of the ring. At rest, `recorded` is the sum of the next two and of the spans in the
    /// ring.
    struct Counts: Sendable, Hashable {
        var recorded: UInt64
        var overwritten: UInt64
        var overwrittenKept: UInt64
        var contended: UInt64
    }

    /// The fields of one shard, on a cache line of its own. All but `claim` and `recorded` belong to the claimant.
    private enum Field {
        static let claim = 0
        static let position = 1
        static let end = 2
        static let recorded = 3
        static let count = 16
    }

    let slotCount: Int
    private let chunkSlots: Int
    private let chunkMask: UInt64
    private let slotMask: UInt64
    private let slots: SpanMemory
    private let shards: SpanMemory
    private let shardCount = Shards.count
    /// One word for each chunk: 1 while a shard owns it. Acquired and released with the chunk.
    private let owners: SpanMemory
    /// The number of chunks that were taken so far, skipped ones included. Relaxed: the owner words order the memory.
    private let taken = Atomic<UInt64>(0)
    /// Spans that were overwritten. Relaxed: counts order nothing.
    private let overwritten = Atomic<UInt64>(0)
    private let overwrittenKept = Atomic<UInt64>(0)
    private let contended = Atomic<UInt64>(0)
    private let lastOverwrittenEnd = Atomic<Int64>(.min)

    /// - Parameter bytes: The memory for slots; rounded down to a power of two that holds at least four chunks of four
    ///   spans for each shard.
    init(bytes: Int) throws(TelemetryError) {
        let least = Shards.count * 16
        let wanted = max(least, bytes / SpanSlot.bytes)
        slotCount = 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)
        chunkSlots = max(1, min(64, slotCount / (4 * Shards.count)))
        chunkMask = UInt64(slotCount / chunkSlots - 1)
        slotMask = UInt64(slotCount - 1)
        slots = try SpanMemory(bytes: slotCount * SpanSlot.bytes)
        shards = try SpanMemory(bytes: Shards.count * Field.count * 8)
        owners = try SpanMemory(bytes: slotCount / chunkSlots * 8)
    }

    /// Writes a span. If its ids are 0, it is a root or a child without children, and gets an id first.
    ///
    /// - Parameter id: Makes an id from a number that no other span has.
    /// - Returns: The stamp, with which ``keep(_:)`` finds the span; 0 if the span was dropped.
    @inline(__always)
    func append(_ span: inout SpanWords, id: (UInt64) -> UInt64) -> UInt64 {
        guard let shard = claimOwn() ?? claimAny() else {
            contended.wrappingAdd(1, ordering: .relaxed)
            return 0
        }
        var position = shard[Field.position].load(ordering: .relaxed)
        if position == shard[Field.end].load(ordering: .relaxed) { position = takeChunk(shard) }
        let stamp = (position &+ 1) << 1
        if span.span == 0 {
            span.span = id(stamp)
            if span.trace == 0 { span.trace = span.span }
        }
        // A reader that sees a word of this span must also see that the stamp of the slot has changed. The thread that
        // changed it may be another one, so its own fence would not be enough.
        atomicMemoryFence(ordering: .releasing)
        SpanSlot(slots.words, Int(truncatingIfNeeded: position & slotMask)).write(span, stamp: stamp)
        shard[Field.position].store(position &+ 1, ordering: .relaxed)
        let recorded = shard[Field.recorded].load(ordering: .relaxed)
        shard[Field.recorded].store(recorded &+ 1, ordering: .relaxed)
        shard[Field.claim].store(0, ordering: .releasing)
        return stamp
    }

    /// Claims the shard of this thread.
    @inline(__always)
    private func claimOwn() -> UnsafeMutablePointer<Atomic<UInt64>>? {
        claim(Shards.own)
    }

    /// Claims a shard that is free, and assigns this thread another one for the next time.
    @inline(never)
    private func claimAny() -> UnsafeMutablePointer<Atomic<UInt64>>? {
        Shards.moveOn()
        // Each shard once: other threads move on too, so that assigning shards until one is free could miss it.
        let first = Shards.own
        for offset in 0..<shardCount {
            if let shard = claim((first &+ offset) % shardCount) { return shard }
        }
        return nil
    }

    @inline(__always)
    private func claim(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        let shard = shards.words + index &* Field.count
        return shard[Field.claim].exchange(1, ordering: .acquiring) == 0 ? shard : nil
    }

    /// Gives a claimed shard the oldest chunk that no other shard owns, and empties it.
    ///
    /// - Returns: The position of its first slot.
    @inline(never)
    private func takeChunk(_ shard: UnsafeMutablePointer<Atomic<UInt64>>) -> UInt64 {
        let end = shard[Field.end].load(ordering: .relaxed)
        if end > 0 {
            let old = (end &- 1) / UInt64(chunkSlots) & chunkMask
            owners.words[Int(old)].store(0, ordering: .releasing)
        }
        while true {
            let chunk = taken.wrappingAdd(1, ordering: .relaxed).oldValue
            // There are four times as many chunks as shards, so that this ends.
            guard owners.words[Int(chunk & chunkMask)].exchange(1, ordering: .acquiring) == 0 else { continue }
            let first = chunk &* UInt64(chunkSlots)
            empty(first)
            shard[Field.end].store(first &+ UInt64(chunkSlots), ordering: .relaxed)
            return first
        }
    }

    /// Empties the slots of a chunk and counts the spans that are overwritten.
    private func empty(_ first: UInt64) {
        noteEnd(first)
        var (lost, kept): (UInt64, UInt64) = (0, 0)
        for offset in 0..<UInt64(chunkSlots) {
            let slot = SpanSlot(slots.words, Int((first &+ offset) & slotMask))
            // An exchange, because another thread may mark the span as kept at the same time.
            let stamp = slot.stamp[0].exchange(0, ordering: .acquiring)
            if stamp & Self.keptBit != 0 { kept += 1 } else if stamp != 0 { lost += 1 }
        }
        if lost > 0 { overwritten.wrappingAdd(lost, ordering: .relaxed) }
        if kept > 0 { overwrittenKept.wrappingAdd(kept, ordering: .relaxed) }
    }

    /// Notes when the last span of a chunk ended that is about to be emptied. It is the one in the last slot, unless a
    /// thread was interrupted between the end of its span and the recording.
    private func noteEnd(_ first: UInt64) {
        let last = SpanSlot(slots.words, Int((first &+ UInt64(chunkSlots) &- 1) & slotMask))
        guard let end = last.read(mask: ~Self.keptBit)?.span.end else { return }
        var known = lastOverwrittenEnd.load(ordering: .relaxed)
        while end > known {
            let (exchanged, found) = lastOverwrittenEnd.weakCompareExchange(
                expected: known,
                desired: end,
                ordering: .relaxed
            )
            if exchanged { return }
            known = found
        }
    }

    // MARK: - Marks and reading

    /// Marks a span as kept; false if it is no longer in the ring: it was then counted as overwritten.
    func keep(_ stamp: UInt64) -> Bool {
        change(stamp, to: stamp | Self.keptBit)
    }

    /// Removes the mark of a span; false if it is no longer in the ring.
    func release(_ stamp: UInt64) -> Bool {
        change(stamp | Self.keptBit, to: stamp)
    }

    private func change(_ stamp: UInt64, to next: UInt64) -> Bool {
        guard stamp > Self.keptBit else { return false }
        return slot(of: stamp).stamp[0].compareExchange(expected: stamp, desired: next, ordering: .relaxed).exchanged
    }

    /// Passes every span in the ring to `body`, in no particular order. Never waits for a writer: a span that is written
    /// at the same time is left out.
    func readEach(_ body: (SpanWords) -> Void) {
        readEachStamped { span, _ in body(span) }
    }

    /// Passes every span in the ring to `body` with its stamp, as ``readEach(_:)`` does.
    func readEachStamped(_ body: (SpanWords, _ stamp: UInt64) -> Void) {
        for index in 0..<slotCount {
            if let (span, stamp) = SpanSlot(slots.words, index).read(mask: ~Self.keptBit) { body(span, stamp) }
        }
    }

    /// When the last one of the overwritten spans ended: all that ended later are in the ring. `Int64.min` for none.
    var horizon: Int64 { lastOverwrittenEnd.load(ordering: .relaxed) }

    /// Whether a span is in the ring and marked as kept.
    func isKept(_ stamp: UInt64) -> Bool {
        stamp > Self.keptBit && slot(of: stamp).stamp[0].load(ordering: .relaxed) == stamp | Self.keptBit
    }

    private func slot(of stamp: UInt64) -> SpanSlot {
        SpanSlot(slots.words, Int(((stamp >> 1) &- 1) & slotMask))
    }

    var counts: Counts {
        var recorded: UInt64 = 0
        let (lost, kept) = (overwritten.load(ordering: .relaxed), overwrittenKept.load(ordering: .relaxed))
        for index in 0..<shardCount {
            recorded &+= shards.words[index * Field.count + Field.recorded].load(ordering: .relaxed)
        }
        return Counts(
            recorded: recorded,
            overwritten: lost,
            overwrittenKept: kept,
            contended: contended.load(ordering: .relaxed)
        )
    }
}
