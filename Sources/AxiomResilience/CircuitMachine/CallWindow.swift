// SPDX-License-Identifier: Apache-2.0

/// The calls that the rules of a breaker apply to: the last n calls, or those of the last n nanoseconds.
///
/// Both kinds are stored, the unused one at its minimum size. An enum with payloads would be copied on every mutation.
struct CallWindow: ~Copyable, Sendable {
    typealias Extent = CircuitBreakerConfiguration.Window.Extent

    private(set) var extent: Extent
    private(set) var isTimed: Bool
    private(set) var counted: CountWindow
    private(set) var timed: TimeWindow

    init(_ extent: Extent) {
        self.extent = extent
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

    /// Whether another plain success would change nothing.
    @inline(__always)
    var isSaturated: Bool { !isTimed && counted.isSaturated }

    @inline(__always)
    mutating func advance(to now: Int64) {
        if isTimed { timed.advance(to: now) }
    }

    @inline(__always)
    mutating func add(_ mark: CallMark, at now: Int64) {
        if isTimed { addTimed(mark, at: now) } else { counted.add(mark) }
    }

    /// Not inlined, so that the path of a count window does not save the registers that this one needs.
    @inline(never)
    private mutating func addTimed(_ mark: CallMark, at now: Int64) {
        timed.advance(to: now)
        timed.add(mark, at: now)
    }

    mutating func clear() {
        counted.removeAll()
        timed.removeAll()
    }

    /// Changes the extent, and keeps the latest calls that fit. A count window does not store instants, so in a time window
    /// its calls are dated to now. Calls that share an entry of a time window enter a count window failures first.
    mutating func resize(to extent: Extent, at now: Int64) {
        guard extent != self.extent else { return }
        advance(to: now)
        var resized = CallWindow(extent)
        for entry in entries(at: now) { resized.add(entry) }
        resized.advance(to: now)
        self = resized
    }

    /// Adds calls that are not older than the calls in the window.
    private mutating func add(_ entry: InstantRing.Entry) {
        if isTimed { timed.add(entry) } else { for mark in marks(of: entry) { counted.add(mark) } }
    }

    /// The calls with their instants. Those of a count window are dated to now.
    func entries(at now: Int64) -> [InstantRing.Entry] {
        if isTimed { return timed.entries }
        return counted.history.map { InstantRing.Entry($0, at: now) }
    }

    /// The marks of an entry, at most as many as the count window can hold.
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

/// The last n calls, one byte per call.
struct CountWindow: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: only this value, which cannot be copied, uses the memory. An array would check
    // on every call whether its storage is shared.

    private(set) var tally = CallTally()
    let size: Int
    /// A ring buffer. If it is full, the oldest call is at `next`; otherwise at 0.
    private let marks: UnsafeMutablePointer<UInt8>
    private var next = 0

    init(size: Int) {
        self.size = size
        marks = .allocate(capacity: size)
        marks.initialize(repeating: 0, count: size)
    }

    deinit { marks.deallocate() }

    /// Whether the window is full of plain successes, so that another one would change nothing.
    @inline(__always)
    var isSaturated: Bool { tally.calls == size && tally.failures | tally.slow == 0 }

    @inline(__always)
    mutating func add(_ mark: CallMark) {
        if tally.calls == size {
            if mark.isEmpty, isSaturated { return }
            tally.remove(CallMark(rawValue: marks[next]))
        }
        // In bounds: `next` is always less than `size`.
        marks[next] = mark.rawValue
        next &+= 1
        if next == size { next = 0 }
        tally.add(mark)
    }

    mutating func removeAll() {
        tally = CallTally()
        next = 0
    }

    /// All calls, oldest first.
    var history: [CallMark] {
        let first = tally.calls == size ? next : 0
        return (0..<tally.calls).map { CallMark(rawValue: marks[(first + $0) % size]) }
    }
}

/// What a window stores about a call. Empty for a plain success.
struct CallMark: OptionSet, Sendable {
    let rawValue: UInt8
    static let failure = CallMark(rawValue: 1)
    static let slow = CallMark(rawValue: 2)
}

/// The number of calls by kind.
struct CallTally: Equatable, Sendable {
    var calls = 0
    var failures = 0
    var slow = 0

    @inline(__always)
    mutating func add(_ mark: CallMark) {
        calls &+= 1
        failures &+= Int(mark.rawValue & 1)
        slow &+= Int(mark.rawValue >> 1)
    }

    @inline(__always)
    mutating func remove(_ mark: CallMark) {
        calls &-= 1
        failures &-= Int(mark.rawValue & 1)
        slow &-= Int(mark.rawValue >> 1)
    }
}
