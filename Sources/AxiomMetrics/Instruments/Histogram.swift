// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A histogram with buckets of fixed bounds.
///
/// - A value counts in the first bucket whose bound is not below it. Negative values lower the sum.
/// - NaN and values above the last bound count in the `+Inf` bucket, −Inf in the first.
/// - NaN makes the sum NaN and an infinity makes it infinite until the process ends, so observe only finite values.
///   OpenMetrics 1.0 forbids a NaN or negative sum: such a histogram has no `_sum` and no `_count` on a page of it. It
///   still has its buckets, and the `+Inf` bucket is the count.
///
/// In every snapshot count, sum and buckets belong to the same observations, even while other threads record.
public final class Histogram: Instrument, @unchecked Sendable {
    // Unchecked because of the pointers of the layout, which never change.

    /// Keeps the memory of `bounds` and `limits` alive.
    private let layout: BucketLayout
    @usableFromInline let bounds: BucketSearch
    @usableFromInline let limits: BucketSearch
    @usableFromInline let boundCount: Int
    /// Each cell is a ``HistogramCell`` followed by one count per bucket.
    @usableFromInline let cells: ClaimedCells

    init(_ series: SeriesHead, layout: BucketLayout) {
        self.layout = layout
        bounds = layout.bounds
        limits = layout.nanoseconds
        boundCount = layout.count
        cells = ClaimedCells(size: HistogramCell.size(buckets: layout.count + 1))
        super.init(series)
    }

    /// Counts `value`, in the unit of the bounds: seconds for times.
    ///
    /// Cost: a search in the bounds and one atomic compare-and-exchange. The first value allocates a cell.
    @inlinable
    public func observe(_ value: Double) {
        let bucket = bucket(of: value)
        let cell = claim()
        cell.pointee.sum += value
        HistogramCell.counts(cell)[bucket] &+= 1
        ClaimedCells.release(cell)
    }

    /// Counts a time in a histogram of seconds, as `observe(Double(nanoseconds) / 1e9)` does. The sum of times in
    /// nanoseconds is not rounded.
    ///
    /// Cost: a search in the bounds and one atomic compare-and-exchange.
    @inlinable
    public func observe(nanoseconds: Int64) {
        // 2^40 ns are 18 minutes. Longer times are rare and could overflow the sum.
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

    /// The number of observations.
    public var count: UInt64 {
        var total: UInt64 = 0
        readCells { _, counts in for bucket in 0...boundCount { total &+= counts[bucket] } }
        return total
    }

    /// The sum of the observations.
    public var sum: Double {
        var sum = HistogramSum()
        readCells { cell, _ in sum.add(&cell.pointee) }
        return sum.seconds
    }

    /// Adds the counts of all observations to `buckets`, which must have room for them, and returns the sum.
    func read(into buckets: UnsafeMutablePointer<UInt64>) -> Double {
        var sum = HistogramSum()
        readCells { cell, counts in
            sum.add(&cell.pointee)
            for bucket in 0...boundCount { buckets[bucket] &+= counts[bucket] }
        }
        return sum.seconds
    }

    /// Whether contention was found.
    var isSharded: Bool { cells.isSharded }

    @inlinable
    @inline(__always)
    func claim() -> UnsafeMutablePointer<HistogramCell> {
        let cell = cells.claimHome() ?? cells.claimOwnShard() ?? claimContended()
        return cell.assumingMemoryBound(to: HistogramCell.self)
    }

    @usableFromInline
    @inline(never)
    func claimContended() -> UnsafeMutableRawPointer {
        cells.claimAny { _ in }
    }

    func readCells(_ body: (UnsafeMutablePointer<HistogramCell>, UnsafeMutablePointer<UInt64>) -> Void) {
        cells.readEach {
            let cell = $0.assumingMemoryBound(to: HistogramCell.self)
            body(cell, HistogramCell.counts(cell))
        }
    }

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

/// The head of a histogram's cell. The counts of the buckets follow in memory, not cumulative, the `+Inf` bucket last.
///
/// Zeroed memory is an empty cell. Only the claimant accesses it (see ``ClaimedCells``).
@usableFromInline
struct HistogramCell {
    /// The sum of the observations made as `Double`.
    @usableFromInline var sum: Double = 0
    /// The sum of the observations made in nanoseconds, modulo 2^64; see ``foldNanoseconds()``.
    @usableFromInline var sumNanoseconds: Int64 = 0

    static func size(buckets: Int) -> Int {
        MemoryLayout<HistogramCell>.size + buckets * MemoryLayout<UInt64>.size
    }

    /// The counts after the head.
    @inlinable
    @inline(__always)
    static func counts(_ cell: UnsafeMutablePointer<HistogramCell>) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(cell + 1).assumingMemoryBound(to: UInt64.self)
    }

    /// Moves the nanoseconds to the other part of the sum before they wrap, after 73 years of observed time.
    ///
    /// Every snapshot calls this. Without snapshots the sum would wrap after 292 years of observed time.
    mutating func foldNanoseconds() {
        guard sumNanoseconds.magnitude > 1 << 61 else { return }
        sum += Double(sumNanoseconds) / 1e9
        sumNanoseconds = 0
    }
}

/// Adds the sums of a histogram's cells. The nanoseconds are exact as long as they fit into 64 bits.
struct HistogramSum {
    private var sum: Double = 0
    private var nanoseconds: Int64 = 0

    mutating func add(_ cell: inout HistogramCell) {
        cell.foldNanoseconds()
        sum += cell.sum
        let (total, overflow) = nanoseconds.addingReportingOverflow(cell.sumNanoseconds)
        nanoseconds = overflow ? cell.sumNanoseconds : total
        if overflow { sum += Double(total &- cell.sumNanoseconds) / 1e9 }
    }

    /// The sum in the unit of the bounds, which is seconds for times.
    var seconds: Double { sum + Double(nanoseconds) / 1e9 }
}

extension Histogram {
    /// The current distribution, as a snapshot of the registry would contain it.
    package var reading: HistogramSnapshot {
        var sum = 0.0
        let counts = [UInt64](unsafeUninitializedCapacity: boundCount + 1) { counts, count in
            counts.initialize(repeating: 0)
            count = boundCount + 1
            if let start = counts.baseAddress { sum = read(into: start) }
        }
        return HistogramSnapshot(counts: counts, sum: sum)
    }
}

/// The values of a histogram at one moment.
public struct HistogramSnapshot: Hashable, Sendable {
    /// The observations in each bucket, not cumulative; the last is the `+Inf` bucket.
    public let counts: [UInt64]
    /// The sum of the observations.
    public let sum: Double

    /// The number of observations: the sum of ``counts``.
    public var count: UInt64 { counts.reduce(0, &+) }
}
