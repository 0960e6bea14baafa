// SPDX-License-Identifier: Apache-2.0

/// For who reads the same families every second: the labels are read when they change, the values in columns.
extension FamilySnapshot {
    /// One object for as long as no series comes or goes: the labels at each position are the same.
    package var seriesToken: any AnyObject & Sendable { series }

    /// The value at a position, without its labels; a histogram's count.
    package func value(at position: Int) -> Double {
        switch samples {
        case .integers(let values): Double(values[position])
        case .numbers(let values): values[position]
        case .histograms(let histograms): Double(histograms[position].count)
        case .exponentials(let exponentials): Double(exponentials.classic[position].count)
        }
    }

    /// The counts of all series' classic buckets, one series after the other, and how many each has with `+Inf`; nil for
    /// a family that holds no histograms.
    package var bucketColumns: (counts: [UInt64], width: Int)? {
        switch samples {
        case .integers, .numbers: nil
        case .histograms(let histograms): (histograms.counts, histograms.buckets)
        case .exponentials(let exponentials): (exponentials.classic.counts, exponentials.classic.buckets)
        }
    }
}
