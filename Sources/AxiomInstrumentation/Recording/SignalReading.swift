// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomMetrics

/// A signal of a module, with its value at one moment.
package struct SignalReading: Sendable {
    /// The values of a distribution of durations or sizes.
    package struct Distribution: Sendable {
        /// The upper bounds of the buckets but for the last, in seconds or bytes.
        package let bounds: [Double]
        /// The observations in each bucket.
        package let counts: [UInt64]
        package let sum: Double
    }

    /// The family, as the module declared it.
    package let family: SignalFamily
    /// The values of the family's labels, in their order.
    package let values: [String]
    /// The total of a counter, the value of a gauge, or the number of observations.
    package let value: Double
    /// Nil for a counter and a gauge.
    package let distribution: Distribution?
}

extension SignalMetrics {
    /// The families in the order of their first signal, of each at most `limit` in the order of their labels.
    func signals(atMost limit: Int, except hidden: Set<String>) -> [SignalReading] {
        let families = families.filter { !hidden.contains($0.name) }
        return zip(families, snapshots(of: families)).flatMap { family, snapshot -> [SignalReading] in
            guard let snapshot else { return [] }
            return snapshot.prefix(limit).map { SignalReading(family, $0, snapshot.definition.buckets) }
        }
    }
}

extension SignalReading {
    fileprivate init(_ family: SignalFamily, _ series: SeriesSnapshot, _ buckets: Buckets) {
        self.family = family
        let pairs = Dictionary(series.labels.pairs.map { ($0.name, $0.value) }) { first, _ in first }
        values = family.labels.map { pairs[$0] ?? "" }
        value = series.value
        distribution = series.histogram.map {
            Distribution(bounds: buckets.upperBounds, counts: $0.counts, sum: $0.sum)
        }
    }
}
