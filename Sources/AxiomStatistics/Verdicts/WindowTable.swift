// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The histograms of many windows side by side, for quantiles of any mixture of them: the resamples of a bootstrap are
/// mixtures. A quantile costs log₂(buckets) · windows additions, and no histogram is merged.
struct WindowTable {
    /// The resolution that all windows have.
    let schema: Int
    /// How many windows there are.
    let windows: Int
    /// The bucket to which row 1 belongs.
    private let first: Int
    /// How many rows there are.
    private let rowCount: Int
    /// rows[r · windows + w]: how many observations of window w lie in or below the bucket of row r. Row 0 is for all
    /// that is not positive.
    private let rows: [Double]
    /// All observations of each window but NaN.
    private let totals: [Double]

    /// Puts windows side by side at the given resolution, which none of them is below.
    init(_ histograms: [ExponentialHistogramData], schema: Int) {
        let coarse = histograms.map { histogram in
            var histogram = histogram
            histogram.downscale(to: schema)
            return histogram
        }
        let used = coarse.map(\.positive).filter { !$0.isEmpty }
        let first = used.map(\.offset).min() ?? 0
        let end = used.map(\.indices.upperBound).max() ?? first
        var rows = [Double](repeating: 0, count: (end - first + 1) * coarse.count)
        for (window, histogram) in coarse.enumerated() {
            var total = Double(histogram.negativeInfinities &+ histogram.negative.total &+ histogram.zeroCount)
            rows[window] = total
            for row in 1..<max(1, end - first + 1) {
                total += Double(histogram.positive[first + row - 1])
                rows[row * coarse.count + window] = total
            }
        }
        self.schema = schema
        self.first = first
        self.rows = rows
        windows = coarse.count
        rowCount = end - first + 1
        totals = coarse.indices.map {
            rows[(end - first) * coarse.count + $0] + Double(coarse[$0].positiveInfinities)
        }
    }

    /// The width of a bucket on the logarithmic scale: by how much two numbers may differ that count the same.
    var bucketWidth: Double { scalbn(log(2), Int32(-schema)) }

    /// All observations.
    var total: Double { totals.reduce(0, +) }

    /// The logarithm of a quantile of the windows, each taken so often as its weight says. Within a bucket the
    /// observations are taken to lie evenly on the logarithmic scale.
    ///
    /// - Parameter guess: Near what the result is expected to be: a good one saves half of the search.
    /// - Returns: nil if there are none, or the quantile is not positive or infinite.
    func logQuantile(_ probability: Double, weights: [Double], near guess: Double? = nil) -> Double? {
        let all = product(totals, 0, weights)
        let rank = probability * all
        guard all > 0 else { return nil }
        var low = (row: -1, sum: 0.0)
        var high = (row: rowCount, sum: all)
        var probe = guess.map { max(0, min(rowCount - 1, Int($0 / bucketWidth) - first + 2)) } ?? rowCount / 2
        var step = guess == nil ? rowCount : 1
        while high.row - low.row > 1 {
            let sum = product(rows, probe * windows, weights)
            if sum < rank { low = (probe, sum) } else { high = (probe, sum) }
            let next = sum < rank ? probe + step : probe - step
            step *= 2
            let isInside = low.row < next && next < high.row && (low.row < 0 || high.row == rowCount)
            probe = isInside ? next : low.row + (high.row - low.row) / 2
        }
        guard high.row > 0, high.row < rowCount else { return nil }
        let share = high.sum > low.sum ? (rank - low.sum) / (high.sum - low.sum) : 1
        return (Double(first + high.row - 2) + share) * bucketWidth
    }

    /// The quantile of each window by itself; nil if one has none.
    func series(_ probability: Double) -> [Double]? {
        var weights = [Double](repeating: 0, count: windows)
        var values: [Double] = []
        for window in 0..<windows {
            weights[window] = 1
            guard let value = logQuantile(probability, weights: weights) else { return nil }
            values.append(value)
            weights[window] = 0
        }
        return values
    }

    /// The sum of one row, or of the totals, with each window taken so often as its weight says.
    private func product(_ numbers: [Double], _ start: Int, _ weights: [Double]) -> Double {
        numbers.withUnsafeBufferPointer { numbers in
            weights.withUnsafeBufferPointer { weights in
                var sum = 0.0
                var index = 0
                while index < weights.count {
                    sum += numbers[start &+ index] * weights[index]
                    index &+= 1
                }
                return sum
            }
        }
    }
}
