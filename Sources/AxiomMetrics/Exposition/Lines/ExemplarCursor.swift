// SPDX-License-Identifier: Apache-2.0

/// Hands out a family's exemplars while its series are written in order.
struct ExemplarCursor {
    private let entries: [ExemplarEntry]
    private var next = 0
    /// The series of the next exemplar; beyond all when there is none left, so that most series cost one comparison.
    private(set) var series: Int

    init(_ entries: [ExemplarEntry]) {
        self.entries = entries
        series = entries.first?.series ?? .max
    }

    /// The exemplar of a series' buckets up to `bucket` of which none was taken yet, the latest where there are several,
    /// for a line has room for one; nil when there is none.
    @inline(__always)
    mutating func take(_ series: Int, upTo bucket: Int = .max) -> Exemplar? {
        series == self.series ? takeLatest(bucket) : nil
    }

    /// All exemplars of a series.
    mutating func takeAll(_ series: Int) -> ArraySlice<ExemplarEntry> {
        let start = next
        while series == self.series { advance() }
        return entries[start..<next]
    }

    private mutating func takeLatest(_ bucket: Int) -> Exemplar? {
        let current = series
        var latest: Exemplar?
        while series == current, entries[next].bucket <= bucket {
            let exemplar = entries[next].exemplar
            if exemplar.timestamp >= latest?.timestamp ?? -.infinity { latest = exemplar }
            advance()
        }
        return latest
    }

    private mutating func advance() {
        next += 1
        series = next < entries.count ? entries[next].series : .max
    }
}
