// SPDX-License-Identifier: Apache-2.0

/// The bounds of a histogram family in the two forms with which observations are compared. One per family.
@usableFromInline
final class BucketLayout: @unchecked Sendable {
    // Unchecked because of the pointers: their memory is written only in `init` and freed in `deinit`.

    /// The number of bounds; the `+Inf` bucket has none.
    let count: Int
    let bounds: BucketSearch
    /// For each bound in seconds, the largest number of whole nanoseconds that is not above it.
    let nanoseconds: BucketSearch

    init(_ buckets: Buckets) {
        count = buckets.upperBounds.count
        bounds = BucketSearch(buckets.upperBounds)
        nanoseconds = BucketSearch(buckets.upperBounds.map { Double(Self.mostNanoseconds(within: $0)) })
    }

    deinit {
        bounds.deallocate()
        nanoseconds.deallocate()
    }

    /// The largest n with `Double(n) / 1e9 <= bound`, so that both ways of observing choose the same bucket.
    private static func mostNanoseconds(within bound: Double) -> Int64 {
        let scaled = (bound * 1e9).rounded()
        // Above 2^53 neighbouring integers share one Double: take the nearest, clamped to the range of Int64.
        guard abs(scaled) < 0x1p53 else { return Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max) }
        var most = Int64(scaled)
        while Double(most) / 1e9 > bound { most -= 1 }
        while Double(most + 1) / 1e9 <= bound { most += 1 }
        return most
    }
}

/// Finds the bucket of a value. It compares the value with four bounds at a time and has no branch that depends on the
/// value, because observations are hard to predict: with such a branch the search took twice as long.
@usableFromInline
struct BucketSearch: @unchecked Sendable {
    // Unchecked because of the pointer: the memory is written only in `init`, and lives as long as the layout.

    /// The bounds, padded with +Inf.
    @usableFromInline let blocks: UnsafePointer<SIMD4<Double>>
    @usableFromInline let blockCount: Int
    /// The number of bounds without the padding.
    @usableFromInline let count: Int

    /// Copies increasing bounds. The owner must call ``deallocate()``.
    init(_ bounds: [Double]) {
        count = bounds.count
        blockCount = (bounds.count + 3) / 4
        let memory = UnsafeMutablePointer<SIMD4<Double>>.allocate(capacity: blockCount)
        for block in 0..<blockCount {
            var lanes = SIMD4(repeating: Double.infinity)
            for lane in 0..<4 where block * 4 + lane < bounds.count { lanes[lane] = bounds[block * 4 + lane] }
            (memory + block).initialize(to: lanes)
        }
        blocks = UnsafePointer(memory)
    }

    func deallocate() {
        blocks.deallocate()
    }

    /// The number of bounds below the value; all of them for NaN.
    @inlinable
    @inline(__always)
    func firstBucket(of value: Double) -> Int {
        var first = 0
        var length = blockCount
        // Bounds before `first` are below the value, bounds from `first + length` on are not.
        while length > 8 {
            let half = length &>> 1
            if !(value <= blocks[first &+ half &- 1][3]) { first &+= half }
            length &-= half
        }
        let values = SIMD4(repeating: value)
        // Each lane of a comparison is -1 if it is true.
        var notBelow = SIMD4<Int64>()
        var block = blocks + first
        let end = block + length
        while block < end {
            notBelow &-= unsafeBitCast(values .<= block.pointee, to: SIMD4<Int64>.self)
            block += 1
        }
        let below = (first &+ length) &* 4 &- Int(truncatingIfNeeded: notBelow.wrappedSum())
        return below < count ? below : count
    }
}
