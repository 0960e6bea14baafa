// SPDX-License-Identifier: Apache-2.0

/// The calls of the last so many nanoseconds: those that are younger than its length.
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
    mutating func add(_ mark: CallMark, at now: Int64) {
        add(InstantRing.Entry(mark, at: now))
    }

    @inline(__always)
    mutating func add(_ entry: InstantRing.Entry) {
        _ = ring.add(entry)
        tally.calls &+= Int(entry.calls)
        tally.failures &+= Int(entry.failures)
        tally.slow &+= Int(entry.slow)
    }

    /// Lets go of what is too old. Each entry leaves once, so that the cost is constant for each that was added.
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
