// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What counters, gauges and histograms share: the labels under which they are shown.
///
/// A program holds an instrument and records into it: recording takes no lock, looks nothing up and allocates
/// nothing. Only a ``Registry`` makes instruments.
public class Instrument: @unchecked Sendable {
    // Unchecked because the class is not final. What it stores is immutable; the subclasses, all final and in this
    // module, store atomics.

    /// The labels of this series.
    public let labels: LabelSet
    /// When the series was made, in seconds since 1970.
    let created: Double
    let context: SeriesContext
    let exemplars = ExemplarSlot()
    /// When the series was last looked up, in nanoseconds of the registry's clock; only of families whose series expire.
    let lastLookUp = Atomic<Int64>(0)

    init(_ series: SeriesHead) {
        labels = series.labels
        context = series.context
        created = series.created
    }
}

extension Instrument: ByteKeyed {
    /// The rendered labels.
    @usableFromInline package var tableKey: [UInt8] { labels.rendered }
}

/// What every instrument is made from.
struct SeriesHead: Sendable {
    let labels: LabelSet
    /// Seconds since 1970.
    let created: Double
    let context: SeriesContext
}
