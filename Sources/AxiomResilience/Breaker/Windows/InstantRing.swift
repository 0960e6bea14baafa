// SPDX-License-Identifier: Apache-2.0

/// Calls in the order of their instants, for a span of time: exact for as long as that is affordable.
///
/// Calls of the same nanosecond share an entry, and every other instant has its own, until there are 1,000. From there
/// on, calls share an entry when they fall into the same 1/1,024 to 1/512 of the span, and the entry leaves with its
/// latest call. So the count over the span is exact while it holds no more than 1,000 different instants, and with
/// more, some calls stay for up to 1/512 of the span too long, but none leaves early.
///
/// Memory: 24 bytes an entry, at most 4,096 entries (96 KiB), in practice half of that. Cost: amortised constant.
struct InstantRing: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: the memory belongs to this value alone, which cannot be copied. An array would
    // ask with every call whether it is shared.

    struct Entry: Equatable, Sendable {
        /// Nanoseconds of its latest call.
        var latest: Int64
        var calls: UInt32
        var failures: UInt32
        var slow: UInt32
    }

    static let exactLimit = 1_000
    static let hardLimit = 4_096

    /// Entry number n, counted from the beginning, is at n & `mask`.
    private var places: UnsafeMutablePointer<Entry>
    /// One less than the number of places, which is a power of two.
    private var mask: Int
    /// The number of the first entry.
    private(set) var head = 0
    /// The number of the next entry.
    private(set) var tail = 0
    /// Entries that share `latest >> cellShift` are merged when there are many.
    private var cellShift: Int64

    /// An empty ring for `span` nanoseconds.
    init(span: Int64) {
        mask = 15
        places = .allocate(capacity: mask + 1)
        cellShift = Self.cellShift(span)
    }

    deinit {
        places.deallocate()
    }

    /// The same entries for another span.
    mutating func setSpan(_ span: Int64) {
        cellShift = Self.cellShift(span)
    }

    /// The largest power of two that is at most 1/512 of the span.
    private static func cellShift(_ span: Int64) -> Int64 {
        Int64(63 - max(1, span / 512).leadingZeroBitCount)
    }

    var count: Int { tail &- head }
    var isEmpty: Bool { tail == head }
    var first: Entry { places[head & mask] }

    /// All entries, oldest first.
    var entries: [Entry] {
        (head..<tail).map { places[$0 & mask] }
    }

    /// Adds calls that came at `instant`, which is not before the last.
    ///
    /// - Returns: The number of their entry.
    @inline(__always)
    mutating func add(_ entry: Entry) -> Int {
        if tail != head {
            let last = (tail &- 1) & mask
            if places[last].latest == entry.latest || (count >= Self.exactLimit && mayMerge(last, entry.latest)) {
                places[last].latest = entry.latest
                places[last].calls &+= entry.calls
                places[last].failures &+= entry.failures
                places[last].slow &+= entry.slow
                return tail &- 1
            }
        }
        if count > mask { grow() }
        places[tail & mask] = entry
        tail &+= 1
        return tail &- 1
    }

    @inline(__always)
    mutating func removeFirst() {
        head &+= 1
    }

    mutating func removeAll() {
        head = tail
    }

    /// Takes one call from an entry, and empty entries from both ends.
    mutating func settleOne(_ number: Int) {
        places[number & mask].calls &-= 1
        while tail != head, places[(tail &- 1) & mask].calls == 0 { tail &-= 1 }
        while tail != head, first.calls == 0 { head &+= 1 }
    }

    @inline(never)
    private func mayMerge(_ last: Int, _ instant: Int64) -> Bool {
        count >= Self.hardLimit || places[last].latest >> cellShift == instant >> cellShift
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * (mask + 1))
        for number in head..<tail { larger[number & (2 * mask + 1)] = places[number & mask] }
        places.deallocate()
        places = larger
        mask = 2 * mask + 1
    }
}

extension InstantRing.Entry {
    /// One call.
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
