// SPDX-License-Identifier: Apache-2.0

/// The rules of the specification's data model, which the grammar cannot state.
extension OpenMetrics2Page.Family {
    typealias Refusal = OpenMetrics2Reader.Refusal
    private typealias Number = OpenMetrics2Page.Number

    /// Checks a family that has been read.
    func check() throws(Refusal) {
        let type = type ?? "unknown"
        if type == "info" || type == "stateset", unit?.isEmpty == false { throw refusal("a unit of an \(type)") }
        if type == "info", !name.suffix(5).elementsEqual("_info".utf8) { throw refusal("an info without the suffix") }
        if type == "stateset" { try checkStates() }
        for metric in metrics {
            for sample in metric.samples { try check(sample, metric, type) }
        }
    }

    private func refusal(_ reason: String) -> Refusal {
        Refusal(description: "\(String(decoding: name, as: UTF8.self)) has \(reason)")
    }

    private func check(
        _ sample: OpenMetrics2Page.Sample,
        _ metric: OpenMetrics2Page.Metric,
        _ type: String
    ) throws(Refusal) {
        let mayStart = ["counter", "histogram", "summary", "unknown"].contains(type)
        if sample.start != nil, !mayStart { throw refusal("a start time of a \(type)") }
        if !sample.exemplars.isEmpty, !mayStart, type != "gaugehistogram" { throw refusal("an exemplar of a \(type)") }
        switch (sample.value, type) {
        case (.number(let number), "counter"):
            if !(number.value >= 0) { throw refusal("the total \(number.value)") }
        case (.number(let number), "info"):
            if number.value != 1 { throw refusal("the value \(number.value) of an info") }
        case (.number(let number), "stateset"):
            if number.value != 0, number.value != 1 { throw refusal("the value \(number.value) of a state") }
        case (.number, "gauge"), (.number, "unknown"): break
        case (.histogram(let histogram), "histogram") where !histogram.isGauge,
            (.histogram(let histogram), "gaugehistogram") where histogram.isGauge,
            (.histogram(let histogram), "unknown"):
            try check(histogram, metric)
        case (.summary(let summary), "summary"), (.summary(let summary), "unknown"): try check(summary, metric)
        default: throw refusal("a value that a \(type) cannot have")
        }
    }

    /// Each metric of a state set has the state as a label with the family's name; the metrics of a group stand together.
    private func checkStates() throws(Refusal) {
        var groups: [Set<OpenMetrics2Page.Label>] = []
        for metric in metrics {
            guard metric.labels.contains(where: { $0.name == name }) else { throw refusal("no label with its name") }
            let group = Set(metric.labels.filter { $0.name != name })
            if groups.last == group { continue }
            if groups.contains(group) { throw refusal("a group of states in two parts") }
            groups.append(group)
        }
    }

    private func check(_ histogram: OpenMetrics2Page.Histogram, _ metric: OpenMetrics2Page.Metric) throws(Refusal) {
        if !histogram.isGauge, histogram.count.value < 0 { throw refusal("a negative count") }
        if let classic = histogram.classic { try check(classic, histogram, metric) }
        guard let native = histogram.native else { return }
        if !(native.zeroThreshold >= 0) { throw refusal("a negative zero threshold") }
        let counts = Array(native.negative.values) + Array(native.positive.values) + [native.zeroCount]
        if !histogram.isGauge, !counts.allSatisfy({ $0.value >= 0 }) { throw refusal("a negative bucket") }
        let total = counts.reduce(0.0) { $0 + $1.value }
        // NaN counts in no native bucket, and makes the sum NaN.
        if histogram.sum.value.isNaN ? total > histogram.count.value : !isEqual(counts, histogram.count) {
            throw refusal("the count \(histogram.count.value), and \(total) in its native buckets")
        }
    }

    private func isEqual(_ counts: [OpenMetrics2Page.Number], _ count: OpenMetrics2Page.Number) -> Bool {
        guard let exact = count.exact, counts.allSatisfy({ $0.exact != nil }) else {
            return counts.reduce(0.0) { $0 + $1.value } == count.value
        }
        return counts.reduce(UInt64(0)) { $0 &+ ($1.exact ?? 0) } == exact
    }

    private func check(
        _ buckets: [OpenMetrics2Page.Bucket],
        _ histogram: OpenMetrics2Page.Histogram,
        _ metric: OpenMetrics2Page.Metric
    ) throws(Refusal) {
        if metric.labels.contains(where: { $0.name.elementsEqual("le".utf8) }) { throw refusal("the label le") }
        for (lower, upper) in zip(buckets, buckets.dropFirst()) {
            if !(lower.bound < upper.bound) { throw refusal("the bound \(upper.bound) after \(lower.bound)") }
            if !histogram.isGauge, !(lower.count <= upper.count) { throw refusal("buckets that are not cumulative") }
        }
        if !histogram.isGauge, let first = buckets.first, !(first.count.value >= 0) {
            throw refusal("a negative bucket")
        }
        if buckets.last?.count != histogram.count { throw refusal("another count than its bucket +Inf") }
    }

    private func check(_ summary: OpenMetrics2Page.Summary, _ metric: OpenMetrics2Page.Metric) throws(Refusal) {
        if metric.labels.contains(where: { $0.name.elementsEqual("quantile".utf8) }) {
            throw refusal("the label quantile")
        }
        if summary.count.exact == nil { throw refusal("the count \(summary.count.value)") }
        if !(summary.sum.value >= 0) { throw refusal("the sum \(summary.sum.value)") }
        for (lower, upper) in zip(summary.quantiles, summary.quantiles.dropFirst()) where !(lower.bound < upper.bound) {
            throw refusal("the quantile \(upper.bound) after \(lower.bound)")
        }
        for quantile in summary.quantiles {
            if !(0...1).contains(quantile.bound) { throw refusal("the quantile \(quantile.bound)") }
            if quantile.count.value < 0 { throw refusal("a negative value of a quantile") }
        }
    }
}
