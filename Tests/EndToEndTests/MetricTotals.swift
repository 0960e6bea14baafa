// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

/// A page of metrics, by name and labels.
struct MetricTotals {
    private struct Series: Hashable {
        let name: String
        let labels: [String: String]
    }

    /// The names of the families, a counter's without `_total`.
    let families: Set<String>
    /// How many series stand on the page more than once.
    let repeated: Int
    private var values: [Series: Double] = [:]

    init(_ page: PrometheusText) {
        families = Set(page.families.map(\.name))
        let samples = page.families.flatMap(\.samples)
        for sample in samples { values[Series(name: sample.name, labels: sample.labels)] = sample.value }
        repeated = samples.count - values.count
    }

    /// The values that a label has in the series of this name.
    func values(of label: String, in name: String, where labels: [String: String] = [:]) -> Set<String> {
        let series = values.keys.filter { series in
            series.name == name && labels.allSatisfy { series.labels[$0.key] == $0.value }
        }
        return Set(series.compactMap { $0.labels[label] })
    }

    /// The sum of the series that have these labels, whatever others they have.
    func total(_ name: String, _ labels: [String: String] = [:]) -> Double {
        values.reduce(0) { total, entry in
            guard entry.key.name == name else { return total }
            return labels.allSatisfy { entry.key.labels[$0.key] == $0.value } ? total + entry.value : total
        }
    }
}
