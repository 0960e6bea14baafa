// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

@testable import AxiomMetrics

/// Random snapshots of everything the data model holds, full of what breaks careless encoders: hostile names, units,
/// exemplars, created times, native histograms.
struct HostileSnapshot {
    struct Series {
        let labels: [(name: String, value: String)]
        var created: Double?
        var number = 0.0
        var counts: [UInt64] = []
        var native: ExponentialHistogramData?
        /// By bucket.
        var exemplars: [(bucket: Int, exemplar: Exemplar, labels: [(name: String, value: String)])] = []
    }

    struct Family {
        let definition: MetricDefinition
        let series: [Series]
    }

    private(set) var families: [Family] = []
    private(set) var snapshot = Snapshot(families: [], problems: [])
    private var generator: SplitMix64
    private let quotesInExemplars: Bool

    private static let texts = [
        "\"", "\\", "\n", "\\n", "\r", "\0", "\t", " ", "{", "}", ",", "=", "#", "a", "é", "e\u{301}", "日本", "👩‍👩‍👧‍👦",
        "\u{202e}", "שלום", "\u{feff}", "\u{2028}", "\u{10ffff}", "\n# EOF\n", "le=\"1\"", " # {} 1",
    ]
    private static let nameParts = [
        "a", "Z", "_", "9", ".", "..", " ", "-", "/", "\\", "é", "e\u{301}", "日本", "👩‍👩‍👧‍👦", "\u{202e}", "{", "}", ",", "=",
        "#",
        "__", "x",
    ]

    /// - Parameters:
    ///   - quotesInExemplars: Whether exemplars have quotes in their labels. The reference reader of OpenMetrics takes every
    ///     quote there for the end of the value, escaped or not.
    ///   - indices: The numbers of the families, of which six in a row have all kinds.
    init(seed: UInt64, quotesInExemplars: Bool = true, families indices: Range<Int> = 0..<14) throws {
        generator = SplitMix64(seed: seed)
        self.quotesInExemplars = quotesInExemplars
        for index in indices { try addFamily(index) }
        let sorted = families.sorted { $0.definition.name.utf8.lexicographicallyPrecedes($1.definition.name.utf8) }
        families = sorted
        snapshot = Snapshot(families: sorted.map(Self.snapshot), problems: [])
    }

    private mutating func addFamily(_ index: Int) throws {
        let isHostile = chance(2)
        let base = "f\(index)" + (isHostile ? name(1...5) : "")
        let help = "H" + text(0...4) + "."
        let unit = chance(3) ? "seconds" : nil
        let options = MetricOptions(unit: unit, names: .utf8)
        let stem = unit.map { "\(base)_\($0)" } ?? base
        let labels = (0..<Int.random(in: 0...3, using: &generator)).map { "l\($0)" + (isHostile ? name(0...3) : "") }
        let (kind, storage, full): (MetricKind, ValueStorage, String) =
            switch index % 6 {
            case 0: (.counter, .integerCounter, stem + "_total")
            case 1: (.counter, .floatCounter, stem + "_total")
            case 2: (.gauge, .gauge, stem)
            case 3: (.histogram, .histogram, stem)
            case 4: (.histogram, .exponential, stem)
            default: (.info, .information, base + "_info")
            }
        let isBare = storage == .exponential && chance(2)
        let definition = try MetricDefinition(
            full,
            kind,
            storage,
            help: help,
            labels: labels,
            buckets: kind == .histogram && !isBare ? buckets() : [],
            exponential: storage == .exponential ? ExponentialBucketing() : nil,
            options: kind == .info ? MetricOptions(names: .utf8) : options
        )
        families.append(Family(definition: definition, series: makeSeries(definition)))
    }

    private mutating func buckets() -> Buckets {
        chance(3) ? [-2, 0, 0.1, 1e6] : [0.005, 0.1, 1, 1_000_000, 1e21]
    }

    private mutating func makeSeries(_ definition: MetricDefinition) -> [Series] {
        var seen: Set<LabelSet> = []
        let count = definition.labelNames.isEmpty ? 1 : Int.random(in: 1...5, using: &generator)
        return (0..<count).compactMap { _ in
            let labels = definition.labelNames.map { (name: $0, value: text(0...3)) }.filter { !$0.value.isEmpty }
            let set = LabelSet(labels)
            guard seen.insert(set).inserted else { return nil }
            return fill(Series(labels: labels, created: Double.random(in: 1e9...2e9, using: &generator)), definition)
        }.sorted { LabelSet($0.labels) < LabelSet($1.labels) }
    }

    private mutating func fill(_ empty: Series, _ definition: MetricDefinition) -> Series {
        var series = empty
        let odd = HostileRegistry.oddNumbers
        switch definition.storage {
        case .integerCounter: series.number = Double(generator.next() >> UInt64.random(in: 0...63, using: &generator))
        case .floatCounter: series.number = odd.filter { $0 >= 0 }.randomElement(using: &generator) ?? 0
        case .gauge: series.number = odd.randomElement(using: &generator) ?? 0
        case .information: series.number = 1
        case .exponential:
            series.native = native()
            series.number = series.native?.sum ?? 0
        default: series.number = odd.randomElement(using: &generator) ?? 0
        }
        if definition.kind == .histogram {
            series.counts = definition.buckets.upperBounds.map { _ in generator.next() >> 40 }
            let rest = series.native.map { $0.count } ?? generator.next() >> 40
            let total = series.counts.reduce(0, &+)
            if rest < total { series.counts = series.counts.map { _ in 0 } }
            series.counts.append(series.native == nil ? rest : rest - series.counts.reduce(0, &+))
        }
        if definition.kind == .counter || definition.kind == .histogram { addExemplars(&series) }
        return series
    }

    private mutating func native() -> ExponentialHistogramData {
        var data = ExponentialHistogramData(
            schema: Int.random(in: -4...8, using: &generator),
            zeroThreshold: chance(2) ? 0 : 0x1p-128
        )!
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            let odd = HostileRegistry.oddNumbers.randomElement(using: &generator) ?? 0
            data.record(chance(8) ? odd : .random(in: -3...9, using: &generator))
        }
        return data
    }

    private mutating func addExemplars(_ series: inout Series) {
        for bucket in 0..<max(series.counts.count, 1) where chance(4) {
            let value = text(0...3).replacing("\"", with: quotesInExemplars ? "\"" : "'")
            let labels = [(name: "trace_id", value: value), (name: "n", value: "7")].filter { !$0.value.isEmpty }
            let exemplar = Exemplar(
                labels: LabelSet(labels),
                value: .random(in: 0...1e7, using: &generator),
                timestamp: Double(Int.random(in: 1_000_000_000...2_000_000_000, using: &generator)) + 0.125
            )
            series.exemplars.append((bucket, exemplar, labels))
        }
    }

    static func snapshot(_ family: Family) -> FamilySnapshot {
        let all = family.series
        let samples: Samples
        let classic = HistogramSamples(
            buckets: family.definition.buckets.upperBounds.count + 1,
            counts: all.flatMap(\.counts),
            sums: all.map(\.number)
        )
        switch family.definition.storage {
        case .integerCounter: samples = .integers(all.map { UInt64(exactly: $0.number) ?? .max })
        case .histogram: samples = .histograms(classic)
        case .exponential:
            samples = .exponentials(
                ExponentialSamples(
                    data: all.compactMap(\.native),
                    created: all.compactMap(\.created),
                    classic: classic
                )
            )
        default: samples = .numbers(all.map(\.number))
        }
        let exemplars = all.enumerated().flatMap { position, series in
            series.exemplars.map { ExemplarEntry(series: position, bucket: $0.bucket, exemplar: $0.exemplar) }
        }
        return FamilySnapshot(
            definition: family.definition,
            series: SeriesList(all.map { LabelSet($0.labels) }, created: all.compactMap(\.created)),
            samples: samples,
            exemplars: exemplars
        )
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &generator) == 0
    }

    private mutating func text(_ length: ClosedRange<Int>) -> String {
        (0..<Int.random(in: length, using: &generator)).map { _ in Self.texts.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private mutating func name(_ length: ClosedRange<Int>) -> String {
        (0..<Int.random(in: length, using: &generator)).map { _ in Self.nameParts.randomElement(using: &generator) ?? ""
        }
        .joined()
    }
}

extension LabelSet {
    /// Labels of these names and values, in this order.
    init(_ labels: [(name: String, value: String)]) {
        self.init(template: LabelTemplate(names: labels.map(\.name)), values: labels.map(\.value))
    }
}
