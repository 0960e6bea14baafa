// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The sums of samples by time: slots of 5 s, of which older ones are merged into slots of up to a minute when there are
/// too many entries. A merged slot loses its times, and no sample. If that is not enough, the oldest slots are dropped, so
/// that less than 15 minutes are held.
struct SampleSlots: Sendable {
    /// What was sampled of one stack under operations. What exceeds 65,535 samples has a further entry.
    struct Entry: Sendable {
        /// The number of the stack in the tree, and in the lowest bit whether it is of allocations.
        var key: UInt16
        var samples: UInt16
        /// Nanoseconds or bytes. Exact to the tenth of a millionth.
        var amount: Float

        var node: SampleTree.Index { key >> 1 }
        var isAllocation: Bool { key & 1 == 1 }
    }

    struct Slot: Sendable {
        let start: Instant
        var end: Instant
        var entries: [Entry]
        /// How many samples were lost: of threads, and of allocations.
        var lost: SIMD2<UInt64>
    }

    private typealias Sum = (samples: Int, amount: Double)

    static let length: Int64 = 5_000_000_000
    static let range: Int64 = 900_000_000_000
    /// Slots are merged when they are older, and up to this length.
    static let (fine, coarse): (Int64, Int64) = (150_000_000_000, 60_000_000_000)
    /// The entries of all closed slots, and the keys of the open one.
    static let (limit, openLimit) = (16_384, 3_072)

    private(set) var closed: [Slot] = []
    /// The open slot, from its start on.
    private(set) var start: Instant
    private var sums: [UInt16: Sum] = [:]
    var lost: SIMD2<UInt64> = [0, 0]

    init(start: Instant) {
        self.start = start
        sums.reserveCapacity(Self.openLimit)
    }

    /// What was sampled before is forgotten.
    var oldest: Instant { closed.first?.start ?? start }
    var bytes: Int { closed.reduce(sums.capacity * 24) { $0 + $1.entries.capacity * 8 + 80 } }

    /// Adds a sample to the open slot.
    mutating func add(_ entry: Entry, at now: Instant) {
        if sums.count >= Self.openLimit { close(at: now) }
        Self.add(entry, to: &sums)
    }

    private static func add(_ entry: Entry, to sums: inout [UInt16: Sum]) {
        let sum = sums[entry.key] ?? (0, 0)
        sums[entry.key] = (sum.samples + Int(entry.samples), sum.amount + Double(entry.amount))
    }

    /// Closes the open slot if it is 5 s long. Returns whether it did.
    mutating func advance(to now: Instant) -> Bool {
        guard now.nanoseconds(since: start) >= Self.length else { return false }
        close(at: now)
        return true
    }

    private mutating func close(at now: Instant) {
        closed.append(open(at: now))
        (start, lost) = (max(now, start), [0, 0])
        sums.removeAll(keepingCapacity: true)
        closed.removeAll { now.nanoseconds(since: $0.end) > Self.range }
        while closed.reduce(0, { $0 + $1.entries.count }) > Self.limit { if !merge(at: now) { closed.removeFirst() } }
    }

    private func open(at now: Instant) -> Slot {
        Slot(start: start, end: max(now, start), entries: Self.entries(sums), lost: lost)
    }

    private static func entries(_ sums: [UInt16: Sum]) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(sums.count)
        for (key, sum) in sums {
            var (rest, amount) = (sum.samples, Float(sum.amount))
            repeat {
                entries.append(Entry(key: key, samples: UInt16(clamping: rest), amount: amount))
                (rest, amount) = (rest - Int(UInt16.max), 0)
            } while rest > 0
        }
        return entries
    }

    /// Merges the two oldest neighbours that are not recent and not too long. Returns false if there are none.
    private mutating func merge(at now: Instant) -> Bool {
        let mergeable = closed.indices.dropLast().first { index in
            let (start, end) = (closed[index].start, closed[index + 1].end)
            return end.nanoseconds(since: start) <= Self.coarse && now.nanoseconds(since: end) >= Self.fine
        }
        guard let index = mergeable else { return false }
        let second = closed.remove(at: index + 1)
        var sums: [UInt16: Sum] = [:]
        for entry in closed[index].entries + second.entries { Self.add(entry, to: &sums) }
        closed[index].entries = Self.entries(sums)
        closed[index].end = second.end
        closed[index].lost &+= second.lost
        return true
    }

    /// Forgets a quarter of the slots. Returns false if there is none but the open one.
    mutating func forgetOldest() -> Bool {
        closed.removeFirst((closed.count + 3) / 4)
        return !closed.isEmpty
    }

    /// The slots whose middles are in a range, the first one first, so that ranges which touch share none; if there is none, the
    /// last one that overlaps it. The open one ends now.
    func slots(from start: Instant, to end: Instant, now: Instant) -> [Slot] {
        let all = (closed + [open(at: now)]).filter { $0.end > start && $0.start < end }
        let inside = all.filter { slot in
            let middle = slot.start.advanced(by: .nanoseconds(slot.end.nanoseconds(since: slot.start) / 2))
            return start < middle && middle <= end
        }
        return inside.isEmpty ? all.suffix(1) : inside
    }

    /// Replaces each key by another one.
    mutating func mapKeys(_ key: (UInt16) -> UInt16) {
        for index in closed.indices { closed[index].entries.mapKeys(key) }
        sums = Dictionary(uniqueKeysWithValues: sums.map { (key($0), $1) })
    }
}

extension [SampleSlots.Entry] {
    mutating func mapKeys(_ key: (UInt16) -> UInt16) {
        for index in indices { self[index].key = key(self[index].key) }
    }
}
