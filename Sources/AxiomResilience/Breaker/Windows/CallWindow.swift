// SPDX-License-Identifier: Apache-2.0

/// The calls on which a breaker decides: the last so many, or those of the last so many nanoseconds.
///
/// Both kinds lie side by side, one of them at its smallest: an enum with a payload would be copied to be changed.
struct CallWindow: ~Copyable, Sendable {
    enum Extent: Hashable, Sendable {
        case calls(Int)
        case nanoseconds(Int64)
    }

    private(set) var extent: Extent
    private(set) var isTimed: Bool
    private(set) var counted: CountWindow
    private(set) var timed: TimeWindow
    /// When the window was begun, for how full it is.
    private(set) var begun: Int64

    init(_ extent: Extent, at now: Int64) {
        self.extent = extent
        begun = now
        switch extent {
        case .calls(let size):
            isTimed = false
            counted = CountWindow(size: size)
            timed = TimeWindow(length: 1)
        case .nanoseconds(let length):
            isTimed = true
            counted = CountWindow(size: 1)
            timed = TimeWindow(length: length)
        }
    }

    @inline(__always)
    var tally: CallTally { isTimed ? timed.tally : counted.tally }

    /// Whether one plain success more changes nothing.
    @inline(__always)
    var isQuiet: Bool { !isTimed && counted.isQuiet }

    @inline(__always)
    mutating func advance(to now: Int64) {
        if isTimed { timed.advance(to: now) }
    }

    @inline(__always)
    mutating func add(_ mark: CallMark, at now: Int64) {
        if isTimed { addTimed(mark, at: now) } else { counted.add(mark) }
    }

    /// Apart, so that the registers it needs are not saved by who counts.
    @inline(never)
    private mutating func addTimed(_ mark: CallMark, at now: Int64) {
        timed.advance(to: now)
        timed.add(mark, at: now)
    }

    mutating func begin(at now: Int64) {
        counted.removeAll()
        timed.removeAll()
        begun = now
    }

    /// 0...1.
    func fill(at now: Int64) -> Double {
        switch extent {
        case .calls(let size): Double(counted.tally.calls) / Double(size)
        case .nanoseconds(let length): min(1, Double(max(0, now &- begun)) / Double(length))
        }
    }

    /// Takes another extent and keeps the calls: the latest that fit. A count window does not know when its calls were;
    /// in a time window they are taken to have been now. Calls that shared an entry of a time window enter a count
    /// window failures first.
    mutating func resize(to extent: Extent, at now: Int64) {
        guard extent != self.extent else { return }
        advance(to: now)
        var fresh = CallWindow(extent, at: begun)
        for entry in entries(at: now) { fresh.restore(entry) }
        fresh.advance(to: now)
        self = fresh
    }

    /// Puts in calls of an import, which are not older than those before.
    mutating func restore(_ entry: InstantRing.Entry) {
        if isTimed { timed.add(entry) } else { for mark in marks(of: entry) { counted.add(mark) } }
    }

    mutating func restore(begun: Int64) {
        self.begun = begun
    }

    /// The calls by their instants; those of a count window as if they were all now.
    func entries(at now: Int64) -> [InstantRing.Entry] {
        if isTimed { return timed.entries }
        return counted.history.map { InstantRing.Entry($0, at: now) }
    }

    /// The marks of an entry, no more than a count window can hold.
    private func marks(of entry: InstantRing.Entry) -> [CallMark] {
        let first = Int(entry.calls) - min(Int(entry.calls), counted.size)
        return (first..<Int(entry.calls)).map { index in
            var mark: CallMark = []
            if index < Int(entry.failures) { mark.insert(.failure) }
            if index < Int(entry.slow) { mark.insert(.slow) }
            return mark
        }
    }
}
