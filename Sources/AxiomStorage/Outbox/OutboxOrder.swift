// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import DequeModule

/// A change that may be sent next. The earliest due comes first, and of those the one that was appended first.
struct DueChange: Sendable, Hashable, Comparable {
    var due: Instant
    var number: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.due, left.number) < (right.due, right.number)
    }
}

/// Numbers in ascending order, from which mostly the first is removed.
extension Deque<UInt64> {
    /// Inserts a number that is not there.
    mutating func insert(ascending number: UInt64) {
        guard let last, number < last else { return append(number) }
        insert(number, at: firstIndex { $0 > number } ?? endIndex)
    }

    mutating func remove(_ number: UInt64) {
        if first == number {
            removeFirst()
        } else if let index = firstIndex(of: number) {
            remove(at: index)
        }
    }
}
