// SPDX-License-Identifier: Apache-2.0

/// The latest samples with their traces, and for longer those of traces that the flight recorder keeps.
struct TraceSamples: Sendable {
    typealias Entry = SampleSlots.Entry

    /// How many of the latest samples are held, and how many of them ``keep(_:)`` looks at.
    static let (capacity, part) = (8_192, 2_048)
    /// The number of kept traces, of entries of each and of entries of all.
    static let (traceLimit, entryLimit, keptLimit) = (256, 64, 4_096)

    private var latest: [(trace: UInt64, entry: Entry)] = []
    /// The trace whose first sample was kept first is the first.
    private var kept: [(trace: UInt64, entries: [Entry])] = []

    init() { latest.reserveCapacity(Self.capacity) }

    var bytes: Int { kept.reduce(latest.capacity * 16 + kept.capacity * 16) { $0 + $1.entries.capacity * 8 + 32 } }

    /// Adds a sample. If more than 1,024 come between two looks at ``isDue``, which is ten times a second, the rest is left out.
    mutating func add(_ trace: UInt64, _ entry: Entry) {
        if latest.count < Self.capacity { latest.append((trace, entry)) }
    }

    /// Whether space for newer samples is needed.
    var isDue: Bool { latest.count > Self.capacity - 1_024 }

    /// Keeps those of the oldest samples whose traces are kept, and forgets the others, and traces that are not kept any more.
    mutating func keep(_ wanted: Set<UInt64>) {
        kept.removeAll { !wanted.contains($0.trace) }
        for (trace, entry) in latest.prefix(Self.part) where wanted.contains(trace) { keep(entry, of: trace) }
        latest.removeFirst(min(Self.part, latest.count))
        while kept.count > Self.traceLimit || kept.reduce(0, { $0 + $1.entries.count }) > Self.keptLimit {
            kept.removeFirst()
        }
    }

    /// Forgets a quarter of the latest samples, or of the kept traces if there are none. Returns false if there is nothing left.
    mutating func forgetOldest() -> Bool {
        if latest.isEmpty { kept.removeFirst((kept.count + 3) / 4) }
        latest.removeFirst((latest.count + 3) / 4)
        return !latest.isEmpty || !kept.isEmpty
    }

    private mutating func keep(_ entry: Entry, of trace: UInt64) {
        let known = kept.firstIndex { $0.trace == trace }
        if known == nil { kept.append((trace, [])) }
        let place = known ?? kept.count - 1
        func index(_ key: UInt16) -> Int? { kept[place].entries.firstIndex { $0.key == key && $0.samples < .max } }
        let isFull = kept[place].entries.count >= Self.entryLimit - 1 && index(entry.key) == nil
        let key = isFull ? SampleTree.other << 1 : entry.key
        if let index = index(key) {
            kept[place].entries[index].samples += 1
            kept[place].entries[index].amount += entry.amount
        } else {
            kept[place].entries.append(Entry(key: key, samples: 1, amount: entry.amount))
        }
    }

    /// The samples of traces.
    func entries(of wanted: Set<UInt64>) -> [Entry] {
        kept.filter { wanted.contains($0.trace) }.flatMap(\.entries)
            + latest.filter { wanted.contains($0.trace) }.map(\.entry)
    }

    /// Replaces each key by another one.
    mutating func mapKeys(_ key: (UInt16) -> UInt16) {
        for index in latest.indices { latest[index].entry.key = key(latest[index].entry.key) }
        for index in kept.indices { kept[index].entries.mapKeys(key) }
    }
}
