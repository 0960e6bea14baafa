// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// What the operations of a budget cost, from the histograms in which they are recorded: those of Axiom's latency
/// bounds, or exponential ones.
struct BudgetDistribution: Sendable {
    private var classic = [UInt64](repeating: 0, count: Buckets.axiomLatency.upperBounds.count + 1)
    /// Of what is beyond the bounds of `classic`, by ``DurationTail/bounds``; empty when there is none.
    private var tail: [UInt64] = []
    private var exponential = ExponentialHistogramData.empty
    private var sum = 0.0

    mutating func add(_ reading: BudgetSource.Reading) {
        switch reading {
        case .classic(let histogram, let beyond):
            for (place, count) in histogram.counts.enumerated() { classic[place] &+= count }
            lengthen(beyond)
            sum += histogram.sum
        case .exponential(let data):
            exponential.merge(data)
            sum += data.sum
        }
    }

    mutating func merge(_ other: BudgetDistribution) {
        for (place, count) in other.classic.enumerated() { classic[place] &+= count }
        lengthen(other.tail)
        exponential.merge(other.exponential)
        sum += other.sum
    }

    private mutating func lengthen(_ beyond: [UInt64]) {
        guard !beyond.isEmpty else { return }
        if tail.isEmpty { tail = beyond.map { _ in 0 } }
        for (place, count) in beyond.enumerated() { tail[place] &+= count }
    }

    var count: UInt64 { classic.reduce(exponential.count, &+) }

    /// NaN when there is none.
    var mean: Double { sum / Double(count) }

    /// The quantile, as exactly as the buckets tell; nil when nothing was recorded.
    func quantile(_ quantile: Double) -> BudgetQuantile? {
        let total = classic.reduce(0, &+)
        guard total > 0 else {
            guard exponential.count > 0 else { return nil }
            return BudgetQuantile(
                value: exponential.quantile(quantile),
                precision: .estimate(exponential.relativeError)
            )
        }
        let rank = max(1, UInt64((quantile * Double(total)).rounded(.up)))
        var seen: UInt64 = 0
        let bounds = Buckets.axiomLatency.upperBounds
        for (bound, count) in Array(zip(bounds, classic)) + zip(DurationTail.bounds, tail) {
            seen &+= count
            if seen >= rank { return BudgetQuantile(value: bound, precision: .atMost) }
        }
        let last = tail.isEmpty ? bounds.last : DurationTail.bounds.last
        return last.map { BudgetQuantile(value: $0, precision: .moreThan) }
    }
}

/// A quantile of what operations cost, and how well it is known.
public struct BudgetQuantile: Sendable, Hashable {
    /// What the number means.
    public enum Precision: Sendable, Hashable {
        /// The quantile differs from it by no more than this share of it.
        case estimate(Double)
        /// The quantile is no more than it: the bound of a bucket.
        case atMost
        /// The quantile is more than it: the last bound.
        case moreThan
    }

    /// In seconds, bytes or things.
    public let value: Double
    /// What the number means.
    public let precision: Precision

    func text(_ unit: BudgetLimit.Unit) -> String {
        let number = Quantity.text(value, unit)
        return switch precision {
        case .estimate: number
        case .atMost: "≤ " + number
        case .moreThan: "> " + number
        }
    }
}
