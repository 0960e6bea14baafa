// SPDX-License-Identifier: Apache-2.0

/// How durations are spread over buckets, and the percentiles that can be read off them: as Prometheus'
/// `histogram_quantile` does it, linear within the bucket, the lowest of which begins at 0; beyond the last bound, linear
/// up to the largest value where that is known, else the bound.
struct Spread: Sendable {
    let counts: [UInt64]
    let bounds: [Double]
    let total: UInt64
    /// The largest value; nil when it is not known.
    private let largest: Double?

    init(_ counts: [UInt64], bounds: [Double], largest: Double? = nil) {
        self.largest = largest
        self.counts = counts
        self.bounds = bounds
        total = counts.reduce(0, &+)
    }

    /// The quantile in seconds; nil when there is nothing.
    func quantile(_ probability: Double) -> Double? {
        guard total > 0, let last = bounds.last else { return nil }
        let rank = probability * Double(total)
        var below = 0.0
        for (place, bound) in bounds.enumerated() where counts.indices.contains(place) {
            let inside = Double(counts[place])
            if inside > 0, below + inside >= rank {
                let start = place == 0 ? min(0, bound) : bounds[place - 1]
                return start + (bound - start) * ((rank - below) / inside)
            }
            below += inside
        }
        guard let largest, largest > last, below < Double(total) else { return last }
        return last + (largest - last) * min(1, (rank - below) / (Double(total) - below))
    }

    /// The quantile to four digits; NaN when there is nothing.
    func float(_ probability: Double) -> Float {
        quantile(probability).map { Float($0.significant()) } ?? .nan
    }
}
