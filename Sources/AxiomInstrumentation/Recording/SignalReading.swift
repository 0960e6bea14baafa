// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import AxiomMetrics

/// A signal of a module, with its value at one moment.
package struct SignalReading: Sendable {
    /// The family, as the module declared it.
    package let family: SignalFamily
    /// The values of the family's labels, in their order.
    package let values: [String]
    /// The total of a counter, the value of a gauge, or the number of observations.
    package let value: Double
    /// The durations in seconds, or the sizes in bytes; nil for a counter and a gauge.
    package let distribution: ExponentialHistogramData?
}

extension SignalMetrics {
    /// The families in the order of their first signal, of each at most `limit` in the order of their labels.
    func signals(atMost limit: Int, except hidden: Set<String>) -> [SignalReading] {
        let families = families.filter { !hidden.contains($0.name) }
        return zip(families, snapshots(of: families)).flatMap { family, snapshot -> [SignalReading] in
            guard let snapshot else { return [] }
            return snapshot.prefix(limit).map { SignalReading(family, $0) }
        }
    }
}

extension SignalReading {
    fileprivate init(_ family: SignalFamily, _ series: SeriesSnapshot) {
        self.family = family
        let pairs = Dictionary(series.labels.pairs.map { ($0.name, $0.value) }) { first, _ in first }
        values = family.labels.map { pairs[$0] ?? "" }
        value = series.value
        distribution = series.exponential
    }
}
