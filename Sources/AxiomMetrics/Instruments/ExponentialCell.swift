// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The head of an exponential histogram's cell. The ring of positive counts follows in memory, then the counts of the
/// classic buckets, if there are any.
///
/// Only the claimant accesses it (see ``ClaimedCells``).
@usableFromInline
struct ExponentialCell {
    @usableFromInline var sum: Double = 0
    @usableFromInline var zeroThreshold: Double
    /// 8 minus the schema.
    @usableFromInline var coarseness: Int
    @usableFromInline var positive = ExponentialWindow()
    private var negative = ExponentialWindow()
    /// Allocated for the first negative observation, freed by the histogram's `deinit`.
    private(set) var negativeRing: UnsafeMutablePointer<UInt64>?
    private var zeroCount: UInt64 = 0
    private var positiveInfinities: UInt64 = 0
    private var negativeInfinities: UInt64 = 0
    private var notNumbers: UInt64 = 0

    init(_ bucketing: ExponentialBucketing) {
        zeroThreshold = bucketing.zeroThreshold
        coarseness = 8 - bucketing.schema
    }

    static func size(_ capacity: Int, classic: Int) -> Int {
        MemoryLayout<ExponentialCell>.size + (capacity + classic) * MemoryLayout<UInt64>.size
    }

    /// The positive ring after the head; the classic counts follow it.
    @inlinable
    @inline(__always)
    static func ring(_ cell: UnsafeMutablePointer<ExponentialCell>) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(cell + 1).assumingMemoryBound(to: UInt64.self)
    }

    /// Counts a value that is not positive or is outside the window of positive buckets.
    ///
    /// - Parameters:
    ///   - value: The observation.
    ///   - finestIndex: The bucket of its magnitude at schema 8.
    ///   - ring: The positive ring.
    ///   - bucketing: The limits.
    /// - Returns: Whether the histogram lost resolution or small values.
    mutating func countRare(
        _ value: Double,
        finestIndex: Int,
        _ ring: UnsafeMutablePointer<UInt64>,
        _ bucketing: ExponentialBucketing
    ) -> Bool {
        let magnitude = abs(value)
        guard magnitude < .infinity else {
            if value.isNaN {
                notNumbers &+= 1
            } else if value > 0 {
                positiveInfinities &+= 1
            } else {
                negativeInfinities &+= 1
            }
            return false
        }
        guard magnitude > zeroThreshold else {
            zeroCount &+= 1
            return false
        }
        let hasGivenUp = makeRoom(for: finestIndex, isPositive: value > 0, ring, bucketing)
        // Making room may have widened the zero bucket beyond the value.
        guard magnitude > zeroThreshold else {
            zeroCount &+= 1
            return hasGivenUp
        }
        let index = ExponentialScale.coarsened(finestIndex, by: coarseness)
        let capacity = bucketing.maximumBuckets
        if value > 0 {
            _ = positive.count(index, ring, capacity)
        } else if let negativeRing {
            _ = negative.count(index, negativeRing, capacity)
        }
        return hasGivenUp
    }

    /// Widens a window so that it contains the bucket. If the ring is too small, first widens the zero bucket or lowers
    /// the resolution.
    private mutating func makeRoom(
        for finestIndex: Int,
        isPositive: Bool,
        _ ring: UnsafeMutablePointer<UInt64>,
        _ bucketing: ExponentialBucketing
    ) -> Bool {
        let capacity = bucketing.maximumBuckets
        if !isPositive, negativeRing == nil {
            let fresh = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
            fresh.initialize(repeating: 0, count: capacity)
            negativeRing = fresh
        }
        var hasGivenUp = false
        while true {
            let index = ExponentialScale.coarsened(finestIndex, by: coarseness)
            let indices = (isPositive ? positive : negative).indices(including: index)
            if indices.count <= capacity {
                if isPositive { positive.widen(to: indices, capacity) } else { negative.widen(to: indices, capacity) }
                return hasGivenUp
            }
            hasGivenUp = true
            let lowest = indices.upperBound - capacity
            let threshold = ExponentialScale.shared.upperBound(of: lowest - 1, schema: 8 - coarseness)
            // At the coarsest schema only the zero bucket can take the smallest values.
            if threshold <= bucketing.maximumZeroThreshold || coarseness == 12 {
                widenZero(to: threshold, below: lowest, ring, capacity)
                if index < lowest { return true }
            } else {
                downscale(ring, capacity)
            }
        }
    }

    private mutating func widenZero(
        to threshold: Double,
        below index: Int,
        _ ring: UnsafeMutablePointer<UInt64>,
        _ capacity: Int
    ) {
        zeroThreshold = threshold
        zeroCount &+= positive.removeAll(below: index, ring, capacity)
        if let negativeRing { zeroCount &+= negative.removeAll(below: index, negativeRing, capacity) }
    }

    private mutating func downscale(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) {
        positive.downscale(by: 1, ring, capacity)
        if let negativeRing { negative.downscale(by: 1, negativeRing, capacity) }
        coarseness += 1
    }

    /// The number of observations.
    func count(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        let negative = negativeRing.map { self.negative.total($0, capacity) } ?? 0
        return positive.total(ring, capacity) &+ negative &+ zeroCount &+ positiveInfinities &+ negativeInfinities
            &+ notNumbers
    }

    /// The contents as a value.
    func data(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> ExponentialHistogramData {
        let positive = self.positive.buckets(ring, capacity)
        let negative = negativeRing.map { self.negative.buckets($0, capacity) } ?? ExponentialBuckets.none
        return ExponentialHistogramData(
            schema: 8 - coarseness,
            zeroThreshold: zeroThreshold,
            zeroCount: zeroCount,
            positive: positive,
            negative: negative,
            positiveInfinities: positiveInfinities,
            negativeInfinities: negativeInfinities,
            count: positive.total &+ negative.total &+ zeroCount &+ positiveInfinities &+ negativeInfinities
                &+ notNumbers,
            sum: sum
        )
    }

    /// Resets to zero and to full resolution; keeps the memory.
    mutating func reset(_ ring: UnsafeMutablePointer<UInt64>, _ bucketing: ExponentialBucketing, classic: Int) {
        ring.update(repeating: 0, count: bucketing.maximumBuckets + classic)
        negativeRing?.update(repeating: 0, count: bucketing.maximumBuckets)
        var fresh = ExponentialCell(bucketing)
        fresh.negativeRing = negativeRing
        self = fresh
    }
}

/// The counts of consecutive exponential buckets of one sign, in a ring of fixed size: a window of indices that grows in
/// both directions without moving counts.
///
/// Counts outside the window are 0. Only the claimant of the cell accesses it (see ``ClaimedCells``).
@usableFromInline
struct ExponentialWindow {
    /// The index of the window's first bucket.
    @usableFromInline private(set) var start = 0
    /// The number of buckets in the window.
    @usableFromInline private(set) var length = 0
    /// The position of the first bucket in the ring.
    @usableFromInline private(set) var head = 0

    var indices: Range<Int> { start..<(start + length) }

    /// Counts one observation; false if the index is outside the window.
    @inlinable
    @inline(__always)
    mutating func count(_ index: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> Bool {
        let position = index &- start
        guard UInt(bitPattern: position) < UInt(bitPattern: length) else { return false }
        let slot = head &+ position
        ring[slot < capacity ? slot : slot &- capacity] &+= 1
        return true
    }

    /// The window extended by `index`.
    func indices(including index: Int) -> Range<Int> {
        length == 0 ? index..<(index + 1) : min(start, index)..<max(start + length, index + 1)
    }

    /// Widens the window to `indices`, which must contain it and fit into the ring.
    mutating func widen(to indices: Range<Int>, _ capacity: Int) {
        if length > 0 { head = (head - (start - indices.lowerBound) + capacity) % capacity }
        start = indices.lowerBound
        length = indices.count
    }

    /// Merges the buckets that are one bucket at a schema lower by `steps`.
    mutating func downscale(by steps: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) {
        guard length > 0 else { return }
        let first = ExponentialScale.coarsened(start, by: steps)
        for position in 0..<length {
            // The target was read before.
            let target = ExponentialScale.coarsened(start + position, by: steps) - first
            let count = take(position, ring, capacity)
            ring[(head + target) % capacity] &+= count
        }
        length = ExponentialScale.coarsened(start + length - 1, by: steps) - first + 1
        start = first
    }

    /// Removes the buckets below `index` and returns the sum of their counts.
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
        for slot in head..<min(head + length, capacity) { total &+= ring[slot] }
        for slot in 0..<max(0, head + length - capacity) { total &+= ring[slot] }
        return total
    }

    /// The counts as a value.
    func buckets(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> ExponentialBuckets {
        ExponentialBuckets(offset: start, counts: (0..<length).map { ring[(head + $0) % capacity] })
    }

    private func take(_ position: Int, _ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        let slot = (head + position) % capacity
        defer { ring[slot] = 0 }
        return ring[slot]
    }
}
