// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// A histogram with base-2 exponential buckets, whose bounds need not be chosen: a native histogram of Prometheus. It can
/// have classic buckets too, for formats without native histograms.
///
/// - A finite value counts in the bucket of its magnitude for its sign, or in the zero bucket if the magnitude is not
///   above the zero threshold. Negative values lower the sum.
/// - An infinity counts in the overflow bucket of its sign and makes the sum infinite. NaN counts only in the count and
///   makes the sum NaN. Both last until the histogram resets; see ``Histogram`` for the effect on OpenMetrics pages.
///
/// The memory is bounded, see ``ExponentialBucketing``. In every snapshot count, sum and buckets belong to the same
/// observations.
public final class ExponentialHistogram: Instrument, @unchecked Sendable {
    // Unchecked because of the pointers: only the claimant accesses a cell's memory.

    /// How buckets are chosen.
    package let bucketing: ExponentialBucketing
    /// The ring's size: `bucketing.maximumBuckets`.
    @usableFromInline let capacity: Int
    @usableFromInline let scale = ExponentialScale.shared
    /// The bounds of the classic buckets; nil if there are none.
    private let classic: BucketLayout?
    /// The bounds, in the memory of `classic`. Recording does not retain `classic`, because threads would contend for its
    /// reference count.
    @usableFromInline let classicBounds: BucketSearch?
    /// Each cell is an ``ExponentialCell`` followed by its counts.
    @usableFromInline let cells: ClaimedCells
    /// Whether resolution or small values were lost since the last reset. Set while recording, cleared by a reset.
    private let hasGivenUp = Atomic<Bool>(false)
    /// When the histogram was created or last reset. Guarded by its lock, which is held while the cells are read, so that no
    /// reader sees some cells before a reset and some after it.
    private let begin: Lock<Double>

    init(_ series: SeriesHead, bucketing: ExponentialBucketing, classic: BucketLayout?) {
        self.bucketing = bucketing
        self.classic = classic
        classicBounds = classic?.bounds
        capacity = bucketing.maximumBuckets
        cells = ClaimedCells(size: ExponentialCell.size(capacity, classic: classic.map { $0.count + 1 } ?? 0))
        begin = Lock(series.created)
        super.init(series)
    }

    deinit {
        cells.readEach { $0.assumingMemoryBound(to: ExponentialCell.self).pointee.negativeRing?.deallocate() }
    }

    /// Counts `value`. Cost: two table look-ups and one atomic compare-and-exchange. The first value allocates a cell, and
    /// the first negative value a ring.
    @inlinable
    public func observe(_ value: Double) {
        let finest = scale.finestIndex(of: abs(value))
        // Before the claim, which should be short.
        let classicBucket = classicBounds?.firstBucket(of: value)
        let cell = claim()
        let ring = ExponentialCell.ring(cell)
        cell.pointee.sum += value
        if !(value > cell.pointee.zeroThreshold && value < .infinity
            && cell.pointee.positive.count(
                ExponentialScale.coarsened(finest, by: cell.pointee.coarseness),
                ring,
                capacity
            ))
        {
            countRare(value, finest, cell)
        }
        if let classicBucket { ring[capacity &+ classicBucket] &+= 1 }
        ClaimedCells.release(cell)
    }

    /// Counts a time in a histogram of seconds: `observe(Double(nanoseconds) / 1e9)`.
    @inlinable
    public func observe(nanoseconds: Int64) {
        observe(Double(nanoseconds) / 1e9)
    }

    /// Counts a duration in a histogram of seconds.
    public func observe(_ duration: Duration) {
        observe(nanoseconds: duration.clampedNanoseconds)
    }

    /// The classic bucket of a value; nil if there are none.
    func classicBucket(of value: Double) -> Int? {
        classic?.bounds.firstBucket(of: value)
    }

    /// The number of classic buckets without `+Inf`; nil if there are none.
    var classicBucketCount: Int? { classic?.count }

    /// The number of observations. Cost: reads the used buckets, copies nothing.
    public var count: UInt64 {
        begin.withLock { _ in
            var total: UInt64 = 0
            cells.readEach { memory in
                let cell = memory.assumingMemoryBound(to: ExponentialCell.self)
                total &+= cell.pointee.count(ExponentialCell.ring(cell), capacity)
            }
            return total
        }
    }

    /// The distribution. Cost: copies all buckets.
    public var data: ExponentialHistogramData {
        begin.withLock { _ in read(classicCounts: nil, reset: false) }
    }

    /// Reads the distribution and adds the classic counts to `classicCounts`.
    ///
    /// - Returns: The distribution, and the time from which it counts.
    func collect(
        _ classicCounts: UnsafeMutablePointer<UInt64>,
        now: Double
    ) -> (data: ExponentialHistogramData, created: Double) {
        begin.withLock { begin in
            let since = begin
            let interval = bucketing.minimumResetInterval?.inSeconds ?? .infinity
            let isDue = hasGivenUp.load(ordering: .relaxed) && now - since >= interval
            if isDue { begin = now }
            return (read(classicCounts: classicCounts, reset: isDue), since)
        }
    }

    /// Call only under the lock of `begin`.
    private func read(classicCounts: UnsafeMutablePointer<UInt64>?, reset: Bool) -> ExponentialHistogramData {
        var total: ExponentialHistogramData?
        if reset { hasGivenUp.store(false, ordering: .relaxed) }
        cells.readEach { memory in
            let cell = memory.assumingMemoryBound(to: ExponentialCell.self)
            let ring = ExponentialCell.ring(cell)
            let data = cell.pointee.data(ring, capacity)
            total = total.map { $0.merging(data) } ?? data
            if let classic, let classicCounts {
                for bucket in 0...classic.count { classicCounts[bucket] &+= ring[capacity + bucket] }
            }
            if reset { cell.pointee.reset(ring, bucketing, classic: classic.map { $0.count + 1 } ?? 0) }
        }
        let none = ExponentialHistogramData(schema: bucketing.schema, zeroThreshold: bucketing.zeroThreshold)
        var data = total ?? none ?? .empty
        data.limitBuckets(to: capacity, maximumZeroThreshold: bucketing.maximumZeroThreshold)
        if classic == nil { classicCounts?.pointee &+= data.count }
        return data
    }

    /// Whether contention was found.
    var isSharded: Bool { cells.isSharded }

    @inlinable
    @inline(__always)
    func claim() -> UnsafeMutablePointer<ExponentialCell> {
        (cells.claimHome() ?? claimAny()).assumingMemoryBound(to: ExponentialCell.self)
    }

    @usableFromInline
    @inline(never)
    func claimAny() -> UnsafeMutableRawPointer {
        cells.claimOwnShard() ?? claimContended()
    }

    /// `finest` is the magnitude's index at schema 8. Only the claimant of `cell` may call this.
    @usableFromInline
    @inline(never)
    func countRare(_ value: Double, _ finest: Int, _ cell: UnsafeMutablePointer<ExponentialCell>) {
        let ring = ExponentialCell.ring(cell)
        if cell.pointee.countRare(value, finestIndex: finest, ring, bucketing) {
            hasGivenUp.store(true, ordering: .relaxed)
        }
    }

    @inline(never)
    private func claimContended() -> UnsafeMutableRawPointer {
        cells.claimAny(prepare: prepare)
    }

    private func prepare(_ memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: ExponentialCell.self, to: ExponentialCell(bucketing))
    }
}
