// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The counts of neighbouring exponential buckets of one sign, in a ring of fixed size: a window over the indices that
/// grows in both directions without moving anything.
///
/// Counts outside the window are 0. Touched only by the claimant of the cell (see ``ClaimedCells``).
@usableFromInline
struct ExponentialWindow {
    /// The index of the window's first bucket.
    @usableFromInline private(set) var start = 0
    /// The number of buckets in the window.
    @usableFromInline private(set) var length = 0
    /// Where in the ring the first bucket is.
    @usableFromInline private(set) var head = 0

    /// The indices in the window.
    var indices: Range<Int> { start..<(start + length) }

    /// Counts one observation; false when the index is outside the window.
    @inlinable
    @inline(__always)
    mutating func count(_ index: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> Bool {
        let position = index &- start
        guard UInt(bitPattern: position) < UInt(bitPattern: length) else { return false }
        let place = head &+ position
        ring[place < capacity ? place : place &- capacity] &+= 1
        return true
    }

    /// The window that would hold `index` too.
    func indices(including index: Int) -> Range<Int> {
        length == 0 ? index..<(index + 1) : min(start, index)..<max(start + length, index + 1)
    }

    /// Widens the window to indices that contain it and are not more than the ring has room for.
    mutating func widen(to indices: Range<Int>, _ capacity: Int) {
        if length > 0 { head = (head - (start - indices.lowerBound) + capacity) % capacity }
        start = indices.lowerBound
        length = indices.count
    }

    /// Puts the buckets together that are one at a schema lower by `steps`.
    mutating func downscale(by steps: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) {
        guard length > 0 else { return }
        let first = ExponentialScale.coarsened(start, by: steps)
        for position in 0..<length {
            // The target is never beyond what has been read.
            let target = ExponentialScale.coarsened(start + position, by: steps) - first
            let count = take(position, ring, capacity)
            ring[(head + target) % capacity] &+= count
        }
        length = ExponentialScale.coarsened(start + length - 1, by: steps) - first + 1
        start = first
    }

    /// Takes away the buckets below `index`, and returns what they held.
    mutating func removeAll(below index: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        let dropped = min(max(index - start, 0), length)
        let total = (0..<dropped).reduce(0) { $0 &+ take($1, ring, capacity) }
        head = (head + dropped) % capacity
        start += dropped
        length -= dropped
        return total
    }

    /// The sum of the counts.
    func total(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        var total: UInt64 = 0
        for place in head..<min(head + length, capacity) { total &+= ring[place] }
        for place in 0..<max(0, head + length - capacity) { total &+= ring[place] }
        return total
    }

    /// The counts as a value.
    func buckets(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> ExponentialBuckets {
        ExponentialBuckets(offset: start, counts: (0..<length).map { ring[(head + $0) % capacity] })
    }

    private func take(_ position: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        let place = (head + position) % capacity
        defer { ring[place] = 0 }
        return ring[place]
    }
}
