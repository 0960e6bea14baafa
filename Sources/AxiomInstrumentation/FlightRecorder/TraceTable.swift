// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The first spans of each trace whose root has not ended, so that a slow trace outlives the ring.
///
/// Each trace has a record of fixed size, which is used again by later traces. A link names a record and its
/// generation: a task that outlives its trace finds that the generation is over. If all records are in use, a trace has
/// none, and its spans are only in the ring.
final class TraceTable: @unchecked Sendable {
    // Unchecked because of the pointers: the protocol of `State` determines which thread writes a slot.

    /// What is known about a trace while it is open.
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt64

        /// The root has ended.
        static let closed = Marks(rawValue: 1 << 24)
        /// The application wants to keep the trace.
        static let requested = Marks(rawValue: 1 << 25)
        /// A span has failed.
        static let failed = Marks(rawValue: 1 << 26)
        /// A span was over its budget.
        static let overBudget = Marks(rawValue: 1 << 27)
    }

    /// The state word of a record: its generation, the marks, and how many of its slots are reserved and published.
    ///
    /// A writer reserves a slot by compare-and-exchange, which fails if the trace is closed or the record has another
    /// generation. It writes the slot, and publishes it by an addition. The root counts as one more writer until it has
    /// copied the spans. The last one to publish after the trace was closed frees the record. So no slot is written
    /// while another trace uses it.
    private enum State {
        static let oneReserved: UInt64 = 1
        static let onePublished: UInt64 = 1 << 12
        static let countMask: UInt64 = 0xfff
        static let generationShift: UInt64 = 32

        static func reserved(_ state: UInt64) -> UInt64 { state & countMask }
        static func published(_ state: UInt64) -> UInt64 { state >> 12 & countMask }
        static func generation(_ state: UInt64) -> UInt64 { state >> generationShift }
    }

    /// The slots of a record; the first one holds the state word.
    static let slotsPerRecord = 32
    /// The spans that a record holds; the root is not one of them.
    static let capacity = slotsPerRecord - 1
    /// Those among them that have no mark. The other slots are for spans that failed or exceeded their budget, so that
    /// a trace that is kept because of a span contains it.
    static let plainCapacity = capacity - 4
    private static let bytesPerRecord = slotsPerRecord * SpanSlot.bytes
    private static let wordsPerRecord = bytesPerRecord / 8
    /// The distance of two words of the map of free records, so that threads do not share a cache line.
    private static let mapStride = 16

    private let records: SpanMemory
    /// A set bit for each free record; 64 records in each word.
    private let free: SpanMemory
    private let groups: Int
    /// Identifies the recorder in the low 16 bits of a link.
    private let recorder: UInt64

    /// - Parameter bytes: The memory for records; rounded to groups of 64, at least one and at most 1,000.
    init(bytes: Int, recorder: UInt64) throws(TelemetryError) {
        groups = min(1_000, max(1, bytes / Self.bytesPerRecord / 64))
        self.recorder = recorder
        records = try SpanMemory(bytes: groups * 64 * Self.bytesPerRecord)
        free = try SpanMemory(bytes: groups * Self.mapStride * 8)
        for group in 0..<groups { free.words[group * Self.mapStride].store(.max, ordering: .relaxed) }
    }

    var openCount: Int {
        (0..<groups).reduce(0) { $0 + (~free.words[$1 * Self.mapStride].load(ordering: .relaxed)).nonzeroBitCount }
    }

    /// Begins a trace, and returns its link. Without a free record it names only the recorder.
    func open() -> UInt64 {
        let first = Shards.own
        for offset in 0..<groups {
            let group = (first + offset) % groups
            guard let bit = takeBit(group) else { continue }
            let index = group * 64 + bit
            let state = word(index)
            let generation = (State.generation(state.pointee.load(ordering: .relaxed)) &+ 1) & 0xffff_ffff
            state.pointee.store(generation << State.generationShift | State.oneReserved, ordering: .releasing)
            return generation << 32 | UInt64(index + 1) << 16 | recorder
        }
        return recorder
    }

    /// Whether the spans of a trace are held.
    func hasRecord(_ link: UInt64) -> Bool { index(link) != nil }

    /// Adds a span to its trace. Does nothing if the trace is closed or has no record. A span beyond the capacity only
    /// leaves its marks, and so does one that was dropped, whose stamp is 0.
    @inline(__always)
    func add(_ span: SpanWords, stamp: UInt64, marks: Marks, to link: UInt64) {
        guard let place = reserve(link, stamp: stamp, marks: marks) else { return }
        fill(place, span, stamp: stamp)
    }

    /// A slot that a writer has reserved.
    struct Reservation {
        fileprivate let index: Int
        fileprivate let number: Int
    }

    /// Leaves the marks of a span and reserves a slot for it, which ``fill(_:_:stamp:)`` has to follow; nil if there is
    /// none.
    @inline(__always)
    func reserve(_ link: UInt64, stamp: UInt64, marks: Marks) -> Reservation? {
        guard let index = index(link) else { return nil }
        let state = word(index)
        let capacity = stamp == 0 ? 0 : marks.isEmpty ? Self.plainCapacity : Self.capacity
        var old = state.pointee.load(ordering: .relaxed)
        while true {
            guard State.generation(old) == link >> 32, old & Marks.closed.rawValue == 0 else { return nil }
            let hasSpace = State.reserved(old) <= capacity
            // Nothing to write: the threads of a large trace would contend for its state.
            if !hasSpace, old & marks.rawValue == marks.rawValue { return nil }
            let next = (old | marks.rawValue) &+ (hasSpace ? State.oneReserved : 0)
            let (exchanged, found) = state.pointee.weakCompareExchange(
                expected: old,
                desired: next,
                ordering: .acquiring
            )
            if exchanged { return hasSpace ? Reservation(index: index, number: Int(State.reserved(old))) : nil }
            old = found
        }
    }

    /// Writes and publishes a reserved slot.
    @inline(__always)
    func fill(_ place: Reservation, _ span: SpanWords, stamp: UInt64) {
        slot(place.index, place.number).write(span, stamp: stamp)
        publish(place.index)
    }

    func mark(_ marks: Marks, _ link: UInt64) {
        guard let index = index(link) else { return }
        let state = word(index)
        var old = state.pointee.load(ordering: .relaxed)
        while State.generation(old) == link >> 32, old & Marks.closed.rawValue == 0 {
            let (exchanged, found) = state.pointee.weakCompareExchange(
                expected: old,
                desired: old | marks.rawValue,
                ordering: .relaxed
            )
            if exchanged { return }
            old = found
        }
    }

    /// Ends a trace. Only its root calls this, once.
    ///
    /// - Parameter body: Receives the marks of the trace and its spans, which are valid only during the call.
    func close(_ link: UInt64, _ body: (Marks, Spans) -> Void) {
        guard let index = index(link), !closeEmpty(link) else {
            return body([], Spans(words: records.words, count: 0))
        }
        let old = word(index).pointee.bitwiseOr(Marks.closed.rawValue, ordering: .acquiringAndReleasing).oldValue
        body(Marks(rawValue: old), Spans(words: word(index), count: Int(State.reserved(old)) - 1))
        publish(index)
    }

    /// Ends a trace of which only the root is known, and frees its record. True if that is done, or the trace has no record;
    /// false if there is a span or a mark, and the trace is still open.
    @inline(__always)
    func closeEmpty(_ link: UInt64) -> Bool {
        guard let index = index(link) else { return true }
        let open = (link >> 32) << State.generationShift | State.oneReserved
        let closed = open | Marks.closed.rawValue | State.onePublished
        guard word(index).pointee.compareExchange(expected: open, desired: closed, ordering: .relaxed).exchanged else {
            return false
        }
        release(index)
        return true
    }

    /// The spans of a trace that has ended, without its root.
    struct Spans {
        fileprivate let words: UnsafeMutablePointer<Atomic<UInt64>>
        fileprivate let count: Int

        /// Passes each span and its stamp to `body`. Spans that are written at this moment are left out.
        func readEach(_ body: (SpanWords, UInt64) -> Void) {
            for number in 0..<max(0, count) {
                if let (span, stamp) = SpanSlot(words, number + 1).read() { body(span, stamp) }
            }
        }
    }

    /// Publishes a slot, or the end of the root. The last one after the end of the trace frees the record.
    @inline(__always)
    private func publish(_ index: Int) {
        let state = word(index).pointee.wrappingAdd(State.onePublished, ordering: .acquiringAndReleasing).newValue
        if state & Marks.closed.rawValue != 0, State.published(state) == State.reserved(state) { recycle(index, state) }
    }

    private func recycle(_ index: Int, _ state: UInt64) {
        for number in 1..<max(1, Int(State.reserved(state))) {
            slot(index, number).stamp[0].store(0, ordering: .relaxed)
        }
        release(index)
    }

    /// Makes a record available for another trace.
    @inline(__always)
    private func release(_ index: Int) {
        _ = free.words[index / 64 &* Self.mapStride].bitwiseOr(1 << UInt64(index % 64), ordering: .releasing)
    }

    private func takeBit(_ group: Int) -> Int? {
        let map = free.words + group * Self.mapStride
        var bits = map.pointee.load(ordering: .relaxed)
        while bits != 0 {
            let (exchanged, found) = map.pointee.weakCompareExchange(
                expected: bits,
                desired: bits & (bits &- 1),
                ordering: .acquiring
            )
            if exchanged { return bits.trailingZeroBitCount }
            bits = found
        }
        return nil
    }

    /// The record of a link; nil if it has none, or belongs to another recorder.
    @inline(__always)
    private func index(_ link: UInt64) -> Int? {
        let number = Int(link >> 16 & 0xffff)
        return number > 0 && link & 0xffff == recorder ? number - 1 : nil
    }

    @inline(__always)
    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        records.words + index &* Self.wordsPerRecord
    }

    @inline(__always)
    private func slot(_ index: Int, _ number: Int) -> SpanSlot {
        SpanSlot(word(index), number)
    }
}
