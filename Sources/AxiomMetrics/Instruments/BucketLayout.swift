// SPDX-License-Identifier: Apache-2.0

/// The bounds of a histogram family in the two forms in which observations are compared with them. One per family.
@usableFromInline
final class BucketLayout: @unchecked Sendable {
    // Unchecked because of the pointers: their memory is written in `init` only and freed in `deinit`.

    /// The number of bounds; there is one bucket more.
    let count: Int
    /// The bounds.
    let bounds: UnsafeMutablePointer<Double>
    /// For each bound, the most whole nanoseconds that are not above it when taken as seconds.
    let nanoseconds: UnsafeMutablePointer<Int64>

    init(_ buckets: Buckets) {
        count = buckets.upperBounds.count
        bounds = .allocate(capacity: count)
        nanoseconds = .allocate(capacity: count)
        for (index, bound) in buckets.upperBounds.enumerated() {
            (bounds + index).initialize(to: bound)
            (nanoseconds + index).initialize(to: Self.mostNanoseconds(within: bound))
        }
    }

    deinit {
        bounds.deallocate()
        nanoseconds.deallocate()
    }

    /// The largest n for which `Double(n) / 1e9 <= bound`, so that both ways of observing choose the same bucket.
    private static func mostNanoseconds(within bound: Double) -> Int64 {
        let scaled = (bound * 1e9).rounded()
        // Beyond 2^53 neighbouring integers share one Double: the nearest is the answer, held at Int64's range.
        guard abs(scaled) < 0x1p53 else { return Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max) }
        var most = Int64(scaled)
        while Double(most) / 1e9 > bound { most -= 1 }
        while Double(most + 1) / 1e9 <= bound { most += 1 }
        return most
    }
}

/// Finds buckets without a branch that depends on the value: what is observed is hard to predict.
@usableFromInline
enum BucketSearch {
    /// The number of bounds that lie below the value, given that they come first.
    @inlinable
    @inline(__always)
    static func firstBucket(of boundCount: Int, isBelow: (Int) -> Bool) -> Int {
        var base = 0
        var length = boundCount
        while length > 16 {
            let half = length / 2
            base = isBelow(base + half - 1) ? base + half : base
            length -= half
        }
        var below = base
        for index in base..<(base + length) { below &+= isBelow(index) ? 1 : 0 }
        return below
    }
}
