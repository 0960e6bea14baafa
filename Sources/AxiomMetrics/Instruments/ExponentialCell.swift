// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The beginning of an exponential histogram's cell; the ring of positive counts follows, then the counts of the classic
/// buckets, if there are any.
///
/// Touched only by the claimant (see ``ClaimedCells``).
@usableFromInline
struct ExponentialCell {
    @usableFromInline var sum: Double = 0
    @usableFromInline var zeroThreshold: Double
    /// By how much the schema is below 8.
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

    /// The positive ring behind the cell, and the classic counts behind that.
    @inlinable
    @inline(__always)
    static func ring(_ cell: UnsafeMutablePointer<ExponentialCell>) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(cell + 1).assumingMemoryBound(to: UInt64.self)
    }

    /// Counts what is not a positive number in the window; `index` is its magnitude's at schema 8.
    ///
    /// - Returns: Whether the histogram had to give up resolution or small values.
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

    /// Widens a window so that it holds the bucket; where that is too much for its ring, widens the zero bucket or
    /// lowers the resolution first.
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
            // At the coarsest schema nothing but the zero bucket is left to take the smallest values.
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

    /// How many observations were counted.
    func count(_ ring: UnsafeMutablePointer<UInt64>, _ capacity: Int) -> UInt64 {
        let negative = negativeRing.map { self.negative.total($0, capacity) } ?? 0
        return positive.total(ring, capacity) &+ negative &+ zeroCount &+ positiveInfinities &+ negativeInfinities
            &+ notNumbers
    }

    /// What was counted, as a value.
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

    /// Starts from zero, at full resolution; keeps the memory.
    mutating func reset(_ ring: UnsafeMutablePointer<UInt64>, _ bucketing: ExponentialBucketing, classic: Int) {
        ring.update(repeating: 0, count: bucketing.maximumBuckets + classic)
        negativeRing?.update(repeating: 0, count: bucketing.maximumBuckets)
        var fresh = ExponentialCell(bucketing)
        fresh.negativeRing = negativeRing
        self = fresh
    }
}
