// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// What a histogram of seconds says of a distribution.
struct LatencySummary: Sendable {
    /// A quantile that is known only as far as the buckets tell.
    enum Estimate: Sendable, Hashable {
        /// Interpolated within the bucket that holds it: off by no more than the bucket's width.
        case value(Double)
        /// Beyond the last bound.
        case above(Double)

        /// The value, or the bound that it exceeds.
        var value: Double {
            switch self {
            case .value(let value): value
            case .above(let bound): bound.nextUp
            }
        }
    }

    /// How many were observed.
    let count: UInt64
    /// Their mean in seconds; nil when there are none.
    let mean: Double?
    /// The median in seconds; nil when there are none.
    let p50: Estimate?
    /// The 99th percentile in seconds; nil when there are none.
    let p99: Estimate?

    /// The summary of nothing.
    init() {
        (count, mean, p50, p99) = (0, nil, nil, nil)
    }

    init(_ histogram: HistogramSnapshot, bounds: [Double]) {
        count = histogram.count
        mean = count > 0 ? histogram.sum / Double(count) : nil
        p50 = Self.quantile(0.5, histogram, bounds)
        p99 = Self.quantile(0.99, histogram, bounds)
    }

    /// The quantile as Prometheus' `histogram_quantile` estimates it: linear within the bucket, the lowest of which
    /// begins at 0.
    static func quantile(_ quantile: Double, _ histogram: HistogramSnapshot, _ bounds: [Double]) -> Estimate? {
        guard histogram.count > 0, let last = bounds.last else { return nil }
        let rank = quantile * Double(histogram.count)
        var below = 0.0
        for (index, bound) in bounds.enumerated() {
            let inside = Double(histogram.counts[index])
            if below + inside >= rank, inside > 0 {
                let start = index == 0 ? min(0, bound) : bounds[index - 1]
                return .value(start + (bound - start) * ((rank - below) / inside))
            }
            below += inside
        }
        return .above(last)
    }
}

extension Snapshot {
    /// The series of a family; none when there is no such family.
    func series(_ name: String) -> [SeriesSnapshot] {
        family(name).map(Array.init) ?? []
    }

    /// The values of a family by labels.
    func values(_ name: String) -> [LabelSet: Double] {
        Dictionary(series(name).map { ($0.labels, $0.value) }) { first, _ in first }
    }

    /// The summaries of a family of histograms by labels.
    func latencies(_ name: String) -> [LabelSet: LatencySummary] {
        guard let family = family(name) else { return [:] }
        let bounds = family.definition.buckets.upperBounds
        let summaries = family.compactMap { series in
            series.histogram.map { (series.labels, LatencySummary($0, bounds: bounds)) }
        }
        return Dictionary(summaries) { first, _ in first }
    }
}
