// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The distribution of the costs of a budget's operations. It comes from the histograms that record them, which have
/// Axiom's latency bounds or are exponential.
struct BudgetDistribution: Sendable {
    private var classic = [UInt64](repeating: 0, count: Buckets.axiomLatency.upperBounds.count + 1)
    /// The observations beyond the bounds of `classic`, by ``DurationTail/bounds``; empty if there are none.
    private var tail: [UInt64] = []
    private var exponential = ExponentialHistogramData.empty
    private var sum = 0.0

    mutating func add(_ reading: BudgetSource.Reading) {
        switch reading {
        case .classic(let histogram, let beyond):
            for (index, count) in histogram.counts.enumerated() { classic[index] &+= count }
            lengthen(beyond)
            sum += histogram.sum
        case .exponential(let data):
            exponential.merge(data)
            sum += data.sum
        }
    }

    mutating func merge(_ other: BudgetDistribution) {
        for (index, count) in other.classic.enumerated() { classic[index] &+= count }
        lengthen(other.tail)
        exponential.merge(other.exponential)
        sum += other.sum
    }

    private mutating func lengthen(_ beyond: [UInt64]) {
        guard !beyond.isEmpty else { return }
        if tail.isEmpty { tail = beyond.map { _ in 0 } }
        for (index, count) in beyond.enumerated() { tail[index] &+= count }
    }

    var count: UInt64 { classic.reduce(exponential.count, &+) }

    /// The mean cost; NaN if nothing was recorded.
    var mean: Double { sum / Double(count) }

    /// The quantile with the precision that the buckets allow; nil if nothing was recorded.
    func quantile(_ quantile: Double) -> BudgetQuantile? {
        guard let found = BucketQuantile(quantile, counts: counts, bounds: bounds) else {
            guard exponential.count > 0 else { return nil }
            return BudgetQuantile(
                value: exponential.quantile(quantile),
                precision: .estimate(exponential.relativeError)
            )
        }
        return BudgetQuantile(
            value: found.upperBound ?? found.lowerBound,
            precision: found.upperBound == nil ? .moreThan : .atMost
        )
    }

    private var bounds: [Double] {
        Buckets.axiomLatency.upperBounds + (tail.isEmpty ? [] : DurationTail.bounds)
    }

    /// The counts for ``bounds`` and, last, the rest beyond them. The tail is read after the histogram. It divides the
    /// histogram's last bucket and may already contain more.
    private var counts: [UInt64] {
        guard let beyond = classic.last, !tail.isEmpty else { return classic }
        let divided = tail.dropLast()
        let sum = divided.reduce(0, &+)
        return classic.dropLast() + divided + [beyond > sum ? beyond - sum : 0]
    }
}

/// A quantile of the cost of operations, and its precision.
package struct BudgetQuantile: Sendable, Hashable {
    /// The precision of a quantile.
    package enum Precision: Sendable, Hashable {
        /// The quantile differs from the value at most by this share of the value.
        case estimate(Double)
        /// The quantile is at most the value, which is the bound of a bucket.
        case atMost
        /// The quantile is above the value, which is the last bound.
        case moreThan
    }

    /// The value in seconds, bytes or a count.
    package let value: Double
    /// The precision of ``value``.
    package let precision: Precision

    func text(_ unit: BudgetLimit.Unit) -> String {
        let number = unit.text(value)
        return switch precision {
        case .estimate: number
        case .atMost: "≤ " + number
        case .moreThan: "> " + number
        }
    }
}

/// A histogram that records the operations of a budget.
enum BudgetSource: Sendable {
    /// The histogram has Axiom's latency bounds. The tail counts durations beyond them.
    case classic(ExponentialHistogram, tail: ActionTail? = nil)
    case exponential(ExponentialHistogram)
    /// Components that can leak. They are counted and have no duration.
    case components(ComponentDescriptor, ComponentCensus)

    enum Reading {
        case classic(HistogramSnapshot, tail: [UInt64] = [])
        case exponential(ExponentialHistogramData)
    }

    /// Two sources with the same identity count the same operations.
    var identity: AnyHashable {
        switch self {
        case .classic(let histogram, _): ObjectIdentifier(histogram)
        case .exponential(let histogram): ObjectIdentifier(histogram)
        case .components(let component, _): component
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .classic(let histogram, _): histogram.count
        case .exponential(let histogram): histogram.count
        case .components(let component, let census): census.created(component)
        }
    }

    /// Nil if nothing is measured.
    var read: Reading? {
        switch self {
        case .classic(let histogram, let tail): .classic(histogram.reading, tail: tail?.counts ?? [])
        case .exponential(let histogram): .exponential(histogram.data)
        case .components: nil
        }
    }
}
