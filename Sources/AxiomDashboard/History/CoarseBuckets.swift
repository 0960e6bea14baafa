// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The few buckets in which the page draws a distribution. Their bounds are powers of two, so each exponential bucket is in
/// exactly one of them.
struct CoarseBuckets: Sendable {
    /// Of the heat maps: 8 µs, 15 µs, 31 µs … 32 s.
    static let latency = CoarseBuckets(-17, through: 5, by: 1)
    /// Of the lifetimes of instances: 1 ms, 4 ms, 16 ms … 3 days.
    static let lifetime = CoarseBuckets(-10, through: 18, by: 2)

    /// The upper bounds of the buckets but for the last, in seconds.
    let bounds: [Double]
    private let first: Int
    private let step: Int

    private init(_ first: Int, through last: Int, by step: Int) {
        (self.first, self.step) = (first, step)
        bounds = stride(from: first, through: last, by: step).map {
            Double(sign: .plus, exponent: $0, significand: 1)
        }
    }

    /// A count for each of ``bounds``, and the last for what is beyond.
    func counts(of data: ExponentialHistogramData) -> [UInt64] {
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        counts[0] = data.zeroCount
        for index in data.positive.indices {
            // The exponent of the bound of the bucket of schema 0. A histogram of 160 buckets has no coarser schema.
            let exponent = ExponentialScale.coarsened(index, by: max(0, data.schema))
            let position = max(0, exponent - first + step - 1) / step
            counts[min(position, bounds.count)] &+= data.positive[index]
        }
        return counts
    }
}
