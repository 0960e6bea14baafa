// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How observations are distributed over buckets of fixed bounds, and their sum.
///
/// What is counted where:
/// - A value counts in the first bucket whose bound is not below it; negative values too, and they lower the sum.
/// - NaN and values above the last bound, with `+Inf`, count in the `+Inf` bucket; −Inf in the first.
/// - NaN makes the sum NaN, and an infinity makes it infinite, until the process ends: observe what is finite.
///   OpenMetrics forbids a sum that is NaN, so that such a histogram has no `_sum` and no `_count` on an OpenMetrics page
///   from then on; its buckets are there, and the one of `+Inf` is the count. So it is with a negative sum.
///
/// In every snapshot count, sum and buckets belong together, also while other threads record: they are those of the
/// same observations.
public final class Histogram: Instrument, @unchecked Sendable {
    // Unchecked because of the pointers: those of the layout never change.

    /// Keeps the memory of `bounds` and `limits` alive.
    private let layout: BucketLayout
    @usableFromInline let bounds: BucketSearch
    @usableFromInline let limits: BucketSearch
    @usableFromInline let boundCount: Int
    /// Each cell is a ``HistogramCell`` with one count per bucket behind it.
    @usableFromInline let cells: ClaimedCells

    init(_ series: SeriesHead, layout: BucketLayout) {
        self.layout = layout
        bounds = layout.bounds
        limits = layout.nanoseconds
        boundCount = layout.count
        cells = ClaimedCells(size: HistogramCell.size(buckets: layout.count + 1))
        super.init(series)
    }

    /// Counts `value`, in the unit of the bounds (seconds, where the histogram measures time).
    ///
    /// Cost: a search among the bounds and one atomic compare-and-exchange.
    @inlinable
    public func observe(_ value: Double) {
        let bucket = bucket(of: value)
        let cell = claim()
        cell.pointee.sum += value
        HistogramCell.counts(cell)[bucket] &+= 1
        ClaimedCells.release(cell)
    }

    /// Counts a time in a histogram of seconds: the same as `observe(Double(nanoseconds) / 1e9)`. What was
    /// observed in nanoseconds adds up without rounding.
    ///
    /// Cost: a search among the bounds and one atomic compare-and-exchange.
    @inlinable
    public func observe(nanoseconds: Int64) {
        // 2^40 ns are 18 minutes. Longer times are rare, and would bring the sum near its end.
        guard nanoseconds.magnitude < 1 << 40 else { return observe(Double(nanoseconds) / 1e9) }
        let bucket = bucket(ofNanoseconds: nanoseconds)
        let cell = claim()
        cell.pointee.sumNanoseconds &+= nanoseconds
        HistogramCell.counts(cell)[bucket] &+= 1
        ClaimedCells.release(cell)
    }

    /// Counts a duration in a histogram of seconds.
    public func observe(_ duration: Duration) {
        observe(nanoseconds: duration.clampedNanoseconds)
    }

    /// The number of observations so far.
    public var count: UInt64 {
        var total: UInt64 = 0
        readCells { _, counts in for bucket in 0...boundCount { total &+= counts[bucket] } }
        return total
    }

    /// The sum of the observations so far.
    public var sum: Double {
        var sum = HistogramSum()
        readCells { cell, _ in sum.add(&cell.pointee) }
        return sum.seconds
    }

    /// Adds the counts of all observations so far to `buckets`, which has room for them, and returns their sum.
    func read(into buckets: UnsafeMutablePointer<UInt64>) -> Double {
        var sum = HistogramSum()
        readCells { cell, counts in
            sum.add(&cell.pointee)
            for bucket in 0...boundCount { buckets[bucket] &+= counts[bucket] }
        }
        return sum.seconds
    }

    /// Whether threads were found to contend for it.
    var isSharded: Bool { cells.isSharded }

    @inlinable
    @inline(__always)
    func claim() -> UnsafeMutablePointer<HistogramCell> {
        (cells.claimHome() ? cells.home : claimAny()).assumingMemoryBound(to: HistogramCell.self)
    }

    @usableFromInline
    @inline(never)
    func claimAny() -> UnsafeMutableRawPointer {
        cells.claimOwnShard() ?? cells.claimAny { _ in }
    }

    func readCells(_ body: (UnsafeMutablePointer<HistogramCell>, UnsafeMutablePointer<UInt64>) -> Void) {
        cells.readEach {
            let cell = $0.assumingMemoryBound(to: HistogramCell.self)
            body(cell, HistogramCell.counts(cell))
        }
    }
}

extension Histogram {
    /// The first bucket whose bound is not below `value`; the last for NaN.
    @inlinable
    @inline(__always)
    func bucket(of value: Double) -> Int {
        bounds.firstBucket(of: value)
    }

    /// The same for less than 2^53 nanoseconds, which a `Double` holds exactly.
    @inlinable
    @inline(__always)
    func bucket(ofNanoseconds value: Int64) -> Int {
        limits.firstBucket(of: Double(value))
    }
}
