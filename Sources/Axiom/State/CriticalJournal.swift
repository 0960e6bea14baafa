// SPDX-License-Identifier: Apache-2.0

/// The latest critical states of a store that a reader has not acknowledged, as a pure state machine.
///
/// Critical states are numbered from 1. The journal holds the last ones without a gap, and only those that some reader
/// still needs: without readers it holds none. Beyond ``limit`` the oldest are dropped, and a reader that has not
/// acknowledged them learns their number when it resumes. `Element` is a snapshot in production and a number in tests.
struct CriticalJournal<Element> {
    /// What a reader missed.
    struct Missed {
        /// The number of unacknowledged elements that are no longer available.
        var lost: UInt64 = 0
        /// The others, the oldest first.
        var elements: [Element] = []
    }

    /// 1,000, as for the states that wait for one subscriber, so that memory is bounded.
    static var standardLimit: Int { 1000 }

    let limit: Int
    private var entries = Ring<Element>()
    /// The number of the last element that was published.
    private var last: UInt64
    /// The number of the last element that each reader acknowledged.
    private var readers: [UInt64: UInt64] = [:]
    private var nextReader: UInt64 = 0

    /// - Parameter number: The number of the last element before the journal.
    init(limit: Int = CriticalJournal.standardLimit, after number: UInt64 = 0) {
        self.limit = max(0, limit)
        last = number
    }

    var hasReaders: Bool { !readers.isEmpty }
    var count: Int { entries.count }

    /// Adds a reader that has acknowledged the elements up to `number`. Elements after it may be lost already.
    mutating func open(after number: UInt64) -> UInt64 {
        nextReader += 1
        readers[nextReader] = min(number, last)
        return nextReader
    }

    /// Notes the next critical state, and keeps it if there are readers.
    mutating func append(_ element: Element, _ released: inout Released<Element>) {
        last += 1
        guard hasReaders else { return }
        entries.append(element)
        if entries.count > limit, let oldest = entries.popFirst() { released.add(oldest) }
    }

    /// Notes a critical state that no reader needs.
    mutating func skip() { last += 1 }

    /// Notes that a reader has processed the elements up to `number`. An earlier number has no effect.
    mutating func acknowledge(_ reader: UInt64, through number: UInt64, _ released: inout Released<Element>) {
        guard let before = readers[reader], before < number else { return }
        readers[reader] = min(number, last)
        trim(&released)
    }

    mutating func close(_ reader: UInt64, _ released: inout Released<Element>) {
        guard readers.removeValue(forKey: reader) != nil else { return }
        trim(&released)
    }

    /// What a reader has not acknowledged. The lost elements count as reported: they are not returned again.
    mutating func resume(_ reader: UInt64) -> Missed {
        guard let acknowledged = readers[reader] else { return Missed() }
        let missing = last - acknowledged
        let kept = min(missing, UInt64(entries.count))
        readers[reader] = last - kept
        return Missed(lost: missing - kept, elements: entries.suffix(Int(kept)))
    }

    /// Drops the elements that all readers have acknowledged.
    private mutating func trim(_ released: inout Released<Element>) {
        let needed = last - (readers.values.min() ?? last)
        while UInt64(entries.count) > needed, let oldest = entries.popFirst() { released.add(oldest) }
    }
}

extension CriticalJournal: Sendable where Element: Sendable {}
