// SPDX-License-Identifier: Apache-2.0

/// The last so many calls, a byte for each.
struct CountWindow: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: the memory belongs to this value alone, which cannot be copied. An array would
    // ask with every call whether it is shared.

    private(set) var tally = CallTally()
    let size: Int
    /// Oldest first from `next` on once the window is full; before, from 0 to `next`.
    private let marks: UnsafeMutablePointer<UInt8>
    private var next = 0

    init(size: Int) {
        self.size = size
        marks = .allocate(capacity: size)
        marks.initialize(repeating: 0, count: size)
    }

    deinit {
        marks.deallocate()
    }

    /// Whether it is full of nothing but plain successes: one more of these changes nothing.
    @inline(__always)
    var isQuiet: Bool { tally.calls == size && tally.failures | tally.slow == 0 }

    @inline(__always)
    mutating func add(_ mark: CallMark) {
        if tally.calls == size {
            if mark.isEmpty, isQuiet { return }
            tally.remove(CallMark(rawValue: marks[next]))
        }
        // Never out of bounds: `next` is below `size`.
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
