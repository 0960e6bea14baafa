// SPDX-License-Identifier: Apache-2.0

/// The beginning of a histogram's cell; the counts of its buckets follow, not cumulative, the `+Inf` bucket's last.
///
/// Zeroed memory is an empty cell. Touched only by the claimant (see ``ClaimedCells``).
@usableFromInline
struct HistogramCell {
    /// The sum of what was observed as `Double`.
    @usableFromInline var sum: Double = 0
    /// The sum of what was observed in nanoseconds, modulo 2^64; see ``foldNanoseconds()``.
    @usableFromInline var sumNanoseconds: Int64 = 0

    static func size(buckets: Int) -> Int {
        MemoryLayout<HistogramCell>.size + buckets * MemoryLayout<UInt64>.size
    }

    /// The counts behind the cell.
    @inlinable
    @inline(__always)
    static func counts(_ cell: UnsafeMutablePointer<HistogramCell>) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(cell + 1).assumingMemoryBound(to: UInt64.self)
    }

    /// Moves the nanoseconds to the other part of the sum before they can wrap, after some 73 years of observed time.
    ///
    /// Called for every snapshot. Without any the sum would wrap after 292 years of observed time.
    mutating func foldNanoseconds() {
        guard sumNanoseconds.magnitude > 1 << 61 else { return }
        sum += Double(sumNanoseconds) / 1e9
        sumNanoseconds = 0
    }
}

/// Adds up the sums of a histogram's cells; nanoseconds in full, as long as they do not leave the range of 64 bits.
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

    /// In the unit of the bounds, which is seconds where nanoseconds were observed.
    var seconds: Double { sum + Double(nanoseconds) / 1e9 }
}
