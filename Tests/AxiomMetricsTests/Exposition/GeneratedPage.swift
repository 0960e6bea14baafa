// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

@testable import AxiomMetrics

/// A page of OpenMetrics 2.0 of a random snapshot, and what a reader must find on it.
struct GeneratedPage {
    let text: String
    let expected: OpenMetrics2Page
    var generator: SplitMix64

    /// - Parameter count: How many families the page has, at most 14; 1 page of 50 has none.
    init(seed: UInt64, families count: ClosedRange<Int>) throws {
        var generator = SplitMix64(seed: ~seed)
        let escaping: NameEscaping = [.allowUTF8, .underscores, .dots, .values][Int(seed % 4)]
        let kept = seed % 50 == 49 ? 0 : Int.random(in: count, using: &generator)
        let first = Int.random(in: 0...(14 - kept), using: &generator)
        let families = try HostileSnapshot(seed: seed, families: first..<(first + kept)).families
            .map { Self.changed($0, &generator) }
        let snapshot = Snapshot(families: families.map(HostileSnapshot.snapshot), problems: [])
        text = ExpositionFormat(.openMetrics2, "2.0.0", escaping).page(snapshot, createdSeries: seed % 3 == 0)
        expected = OpenMetrics2Page(families: families.map { Self.expected($0, escaping) })
        self.generator = generator
    }

    /// What is wrong with a text as the page; nil if a reader finds what it must.
    func fault(of text: String) -> String? {
        do {
            let found = try OpenMetrics2Reader.read(text)
            if found == expected { return nil }
            let pairs = zip(found.families, expected.families)
            return pairs.first { $0 != $1 }.map { "\($0)\n\($1)" } ?? "\(found.families.count) families"
        } catch {
            return "\(error)"
        }
    }

    var fault: String? { fault(of: text) }

    /// Some families have no series, some series no known time of creation, some native histograms more exemplars.
    private static func changed(
        _ family: HostileSnapshot.Family,
        _ generator: inout SplitMix64
    ) -> HostileSnapshot.Family {
        if Int.random(in: 0..<8, using: &generator) == 0 {
            return HostileSnapshot.Family(definition: family.definition, series: [])
        }
        let isNative = family.definition.storage == .exponential
        let isTimeless = !isNative && Int.random(in: 0..<4, using: &generator) == 0
        let series = family.series.map { series in
            var changed = series
            if isTimeless { changed.created = nil }
            guard isNative, family.definition.buckets.upperBounds.isEmpty, let first = series.exemplars.first else {
                return changed
            }
            for slot in 1..<Int.random(in: 1...16, using: &generator) {
                changed.exemplars.append((slot, first.exemplar, first.labels))
            }
            return changed
        }
        return HostileSnapshot.Family(definition: family.definition, series: series)
    }

    private static func expected(_ family: HostileSnapshot.Family, _ escaping: NameEscaping) -> OpenMetrics2Page.Family
    {
        let definition = family.definition
        var expected = OpenMetrics2Page.Family(name: Array(escaping.escape(definition.name).utf8))
        expected.type = definition.kind.description
        expected.unit = definition.unit.map { Array($0.utf8) }
        expected.help = Array(definition.help.utf8)
        expected.metrics = family.series.map { series in
            let labels = series.labels.map { (escaping.escape($0.name), $0.value) }
            let hasStart = definition.kind == .counter || definition.kind == .histogram
            let sample = OpenMetrics2Page.Sample(
                value: value(series, definition),
                start: hasStart ? series.created : nil,
                exemplars: series.exemplars.map {
                    OpenMetrics2Page.Exemplar(
                        labels: Self.labels($0.labels.map { ($0.name, $0.value) }),
                        value: OpenMetrics2Page.Number($0.exemplar.value),
                        timestamp: $0.exemplar.timestamp
                    )
                }
            )
            return OpenMetrics2Page.Metric(labels: Self.labels(labels), samples: [sample])
        }
        return expected
    }

    private static func labels(_ pairs: [(String, String)]) -> [OpenMetrics2Page.Label] {
        pairs.map { OpenMetrics2Page.Label(name: Array($0.0.utf8), value: Array($0.1.utf8)) }
    }

    private static func value(
        _ series: HostileSnapshot.Series,
        _ definition: MetricDefinition
    ) -> OpenMetrics2Page.Value {
        guard definition.kind == .histogram else {
            let isInteger = definition.storage == .integerCounter
            let number =
                isInteger ? .init(UInt64(exactly: series.number) ?? .max) : OpenMetrics2Page.Number(series.number)
            return .number(number)
        }
        let count = OpenMetrics2Page.Number(series.counts.reduce(0, +))
        var histogram = OpenMetrics2Page.Histogram(count: count, sum: OpenMetrics2Page.Number(series.number))
        histogram.native = series.native.map(native)
        if series.native != nil, definition.buckets.upperBounds.isEmpty { return .histogram(histogram) }
        var cumulative: UInt64 = 0
        histogram.classic = zip(definition.buckets.upperBounds + [.infinity], series.counts).map { bound, count in
            cumulative += count
            return OpenMetrics2Page.Bucket(bound: bound, count: .init(cumulative))
        }
        return .histogram(histogram)
    }

    private static func native(_ data: ExponentialHistogramData) -> OpenMetrics2Page.Native {
        // By the formulas of the specification: the bucket after the one that ends at 2^1024.
        let infinite = (data.schema >= 0 ? 1_024 << data.schema : 1_024 >> -data.schema) + 1
        func buckets(_ buckets: ExponentialBuckets, _ infinities: UInt64) -> [Int: OpenMetrics2Page.Number] {
            var found: [Int: OpenMetrics2Page.Number] = [:]
            for index in buckets.indices where buckets[index] > 0 { found[index] = .init(buckets[index]) }
            if infinities > 0 { found[infinite] = .init(infinities) }
            return found
        }
        return OpenMetrics2Page.Native(
            schema: data.schema,
            zeroThreshold: data.zeroThreshold,
            zeroCount: .init(data.zeroCount),
            negative: buckets(data.negative, data.negativeInfinities),
            positive: buckets(data.positive, data.positiveInfinities)
        )
    }
}
