// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import Synchronization

/// How observations are distributed over buckets of fixed bounds, and their sum.
///
/// What is counted where:
/// - A value counts in the first bucket whose bound is not below it; negative values too, and they lower the sum.
/// - NaN and values above the last bound, with `+Inf`, count in the `+Inf` bucket; −Inf in the first.
/// - NaN makes the sum NaN, and an infinity makes it infinite, until the process ends: observe what is finite.
///
/// The count is the sum of the buckets, so that `_count` equals the `+Inf` bucket in every snapshot, also while other
/// threads record. The sum may be ahead of or behind the count by the observations that arrive during the snapshot.
public final class Histogram: Instrument, @unchecked Sendable {
    // Unchecked because of the pointers: those of the layout never change, and `counts` points to atomics.

    /// Keeps the memory of `bounds` and `limits` alive.
    private let layout: BucketLayout
    @usableFromInline let bounds: UnsafePointer<Double>
    @usableFromInline let limits: UnsafePointer<Int64>
    @usableFromInline let boundCount: Int
    /// One count per bucket, not cumulative; the last is the `+Inf` bucket's. Allocated in `init`, freed in `deinit`.
    @usableFromInline let counts: UnsafeMutablePointer<Atomic<UInt64>>
    /// The bit pattern of the part of the sum that was observed as `Double`.
    @usableFromInline let sumBits = Atomic<UInt64>(0)
    /// The part of the sum that was observed in nanoseconds, modulo 2^64; see ``foldNanoseconds()``.
    @usableFromInline let sumNanoseconds = Atomic<Int64>(0)

    init(labels: LabelSet, layout: BucketLayout) {
        self.layout = layout
        bounds = UnsafePointer(layout.bounds)
        limits = UnsafePointer(layout.nanoseconds)
        boundCount = layout.count
        counts = .allocate(capacity: layout.count + 1)
        for index in 0...layout.count { (counts + index).initialize(to: Atomic(0)) }
        super.init(labels: labels)
    }

    deinit {
        counts.deinitialize(count: boundCount + 1)
        counts.deallocate()
    }

    /// Counts `value`, in the unit of the bounds (seconds, where the histogram measures time).
    ///
    /// Cost: a search among the bounds, one atomic addition, one compare-and-exchange.
    @inlinable
    public func observe(_ value: Double) {
        counts[bucket(of: value)].wrappingAdd(1, ordering: .relaxed)
        sumBits.add(value)
    }

    /// Counts a time in a histogram of seconds: the same as `observe(Double(nanoseconds) / 1e9)`, and faster.
    ///
    /// Cost: a search among the bounds and two atomic additions.
    @inlinable
    public func observe(nanoseconds: Int64) {
        // 2^40 ns are 18 minutes. Longer times are rare, and would bring the sum near its end.
        guard nanoseconds.magnitude < 1 << 40 else { return observe(Double(nanoseconds) / 1e9) }
        counts[bucket(ofNanoseconds: nanoseconds)].wrappingAdd(1, ordering: .relaxed)
        sumNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// Counts a duration in a histogram of seconds.
    public func observe(_ duration: Duration) {
        observe(nanoseconds: duration.clampedNanoseconds)
    }

    /// The number of observations so far.
    public var count: UInt64 {
        (0...boundCount).reduce(0) { $0 &+ counts[$1].load(ordering: .relaxed) }
    }

    /// The sum of the observations so far.
    public var sum: Double {
        Double(bitPattern: sumBits.load(ordering: .relaxed)) + Double(sumNanoseconds.load(ordering: .relaxed)) / 1e9
    }

    /// Moves the nanoseconds to the other part of the sum before they can wrap, after some 73 years of observed time.
    ///
    /// Called before every snapshot by the family, which lets one reader in at a time, so that no snapshot sees the sum
    /// between the two steps. Without any snapshot the sum would wrap after 292 years of observed time.
    func foldNanoseconds() {
        guard sumNanoseconds.load(ordering: .relaxed).magnitude > 1 << 61 else { return }
        sumBits.add(Double(sumNanoseconds.exchange(0, ordering: .relaxed)) / 1e9)
    }
}

// The searches take no branch that depends on the value: what is observed is hard to predict.
extension Histogram {
    /// The first bucket whose bound is not below `value`; the last for NaN.
    @inlinable
    func bucket(of value: Double) -> Int {
        search { !(value <= bounds[$0]) }
    }

    @inlinable
    func bucket(ofNanoseconds value: Int64) -> Int {
        search { value > limits[$0] }
    }

    /// The number of bounds that lie below the value, given that they come first.
    @inlinable
    @inline(__always)
    func search(isBelow: (Int) -> Bool) -> Int {
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
