// SPDX-License-Identifier: Apache-2.0

/// The calls of the last n nanoseconds.
struct TimeWindow: ~Copyable, Sendable {
    private(set) var tally = CallTally()
    let length: Int64
    private var ring: InstantRing

    init(length: Int64) {
        self.length = length
        ring = InstantRing(span: length)
    }

    var entries: [InstantRing.Entry] { ring.entries }
    var entryCount: Int { ring.count }

    @inline(__always)
    mutating func add(_ mark: CallMark, at now: Int64) { add(InstantRing.Entry(mark, at: now)) }

    @inline(__always)
    mutating func add(_ entry: InstantRing.Entry) {
        _ = ring.add(entry)
        tally.calls &+= Int(entry.calls)
        tally.failures &+= Int(entry.failures)
        tally.slow &+= Int(entry.slow)
    }

    /// Removes the calls that have left the window. Each entry is removed once, so the cost per added call is constant.
    @inline(__always)
    mutating func advance(to now: Int64) {
        while !ring.isEmpty, now &- ring.first.latest >= length {
            let entry = ring.first
            tally.calls &-= Int(entry.calls)
            tally.failures &-= Int(entry.failures)
            tally.slow &-= Int(entry.slow)
            ring.removeFirst()
        }
    }

    mutating func removeAll() {
        ring.removeAll()
        tally = CallTally()
    }
}

/// A queue of calls in the order of their instants, for a span of time. Exact up to a limited number of instants.
///
/// Calls at the same nanosecond share an entry. Every other instant has its own entry, until there are 1,000. From then
/// on, calls share an entry if they fall into the same cell, which is 1/1,024 to 1/512 of the span, and the entry has the
/// instant of its latest call. The count over the span is therefore exact up to 1,000 different instants. With more, some
/// calls stay for up to 1/512 of the span too long, but none leaves early.
///
/// `RollingWindow` of AxiomBase is not used here: its steps are fixed, so that a call would stay in the window for up to a
/// step too long even if there are few calls, and a change of the span would lose the calls.
///
/// Memory: 24 bytes per entry, at most 4,096 entries (96 KiB), in practice half of that. Cost: amortised constant.
struct InstantRing: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: only this value, which cannot be copied, uses the memory. An array would check
    // on every call whether its storage is shared.

    struct Entry: Equatable, Sendable {
        /// Nanoseconds of its latest call.
        var latest: Int64
        var calls: UInt32
        var failures: UInt32
        var slow: UInt32
    }

    static let exactLimit = 1_000
    static let hardLimit = 4_096

    /// Entries are numbered from the start. Entry n is at index n & `mask`.
    private var storage: UnsafeMutablePointer<Entry>
    /// The capacity minus 1. The capacity is a power of two.
    private var mask: Int
    /// The number of the first entry.
    private(set) var head = 0
    /// The number of the next entry.
    private(set) var tail = 0
    /// `instant >> cellShift` is the cell of an instant.
    private var cellShift: Int64

    /// Creates an empty ring for `span` nanoseconds.
    init(span: Int64) {
        mask = 15
        storage = .allocate(capacity: mask + 1)
        cellShift = Self.cellShift(span)
    }

    deinit { storage.deallocate() }

    /// Changes the span, and keeps the entries.
    mutating func setSpan(_ span: Int64) { cellShift = Self.cellShift(span) }

    /// The exponent of the largest power of two that is at most 1/512 of the span.
    private static func cellShift(_ span: Int64) -> Int64 {
        Int64(63 - max(1, span / 512).leadingZeroBitCount)
    }

    var count: Int { tail &- head }
    var isEmpty: Bool { tail == head }
    var first: Entry { storage[head & mask] }

    /// All entries, oldest first.
    var entries: [Entry] { (head..<tail).map { storage[$0 & mask] } }

    /// Adds calls whose instant is not before that of the last entry. Returns the number of their entry.
    @inline(__always)
    mutating func add(_ entry: Entry) -> Int {
        if tail != head {
            let last = (tail &- 1) & mask
            if storage[last].latest == entry.latest || (count >= Self.exactLimit && mayMerge(last, entry.latest)) {
                storage[last].latest = entry.latest
                storage[last].calls &+= entry.calls
                storage[last].failures &+= entry.failures
                storage[last].slow &+= entry.slow
                return tail &- 1
            }
        }
        if count > mask { grow() }
        storage[tail & mask] = entry
        tail &+= 1
        return tail &- 1
    }

    @inline(__always)
    mutating func removeFirst() { head &+= 1 }

    mutating func removeAll() { head = tail }

    /// Removes one call from an entry, and empty entries from both ends.
    mutating func settleOne(_ number: Int) {
        storage[number & mask].calls &-= 1
        while tail != head, storage[(tail &- 1) & mask].calls == 0 { tail &-= 1 }
        while tail != head, first.calls == 0 { head &+= 1 }
    }

    @inline(never)
    private func mayMerge(_ last: Int, _ instant: Int64) -> Bool {
        count >= Self.hardLimit || storage[last].latest >> cellShift == instant >> cellShift
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * (mask + 1))
        for number in head..<tail { larger[number & (2 * mask + 1)] = storage[number & mask] }
        storage.deallocate()
        storage = larger
        mask = 2 * mask + 1
    }
}

extension InstantRing.Entry {
    @inline(__always)
    init(_ mark: CallMark, at instant: Int64) {
        self.init(
            latest: instant,
            calls: 1,
            failures: UInt32(mark.rawValue & 1),
            slow: UInt32(mark.rawValue >> 1)
        )
    }
}
