// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport

/// Random registries full of what breaks careless encoders, each with a plain list of what a reader must find.
struct HostileRegistry {
    struct Family {
        let name: String
        let type: String
        let help: String
    }

    struct Sample: Hashable {
        /// Name and labels, by their bytes: Swift takes differently encoded characters for equal.
        let identity: [[UInt8]]
        /// All NaN are one here, and −0 is 0: the reader takes both for integers.
        let value: UInt64

        init(_ name: String, _ labels: [String: String], _ value: Double) {
            let present = labels.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            identity = [Array(name.utf8)] + present.flatMap { [Array($0.key.utf8), Array($0.value.utf8)] }
            self.value = value.isNaN ? Double.nan.bitPattern : (value == 0 ? 0 : value).bitPattern
        }

        init(_ sample: PrometheusText.Sample) {
            self.init(sample.name, sample.labels, sample.value)
        }
    }

    static let oddNumbers: [Double] = [
        0, -0.0, 1, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 9_007_199_254_740_992, 0x1.8p53, 0.1, 1e21, 1e-5, 1e-4,
        123_456.789,
        999_999, 1_000_000, 999_999.5, 0.000_1, 1.0.nextUp, Double(bitPattern: 0xfff), .pi,
    ]

    private static let pieces = [
        "\"", "\\", "\n", "\\n", "\\\"", "\r", "\r\n", "\0", "\t", " ", "{", "}", ",", "=", "#", "a", "Z", "0", "é",
        "e\u{301}", "ß", "日本", "👩‍👩‍👧‍👦", "🏴‍☠️", "\u{202e}", "שלום", "مرحبا", "\u{feff}", "\u{2028}", "\u{85}", "\u{7f}",
        "\u{10ffff}", "\n# EOF\n", "\n# TYPE x counter\nx_total 1\n", "le=\"1\"", " # {} 1",
        String(repeating: "x", count: 300),
    ]

    private(set) var families: [Family] = []
    private(set) var samples: [Sample] = []
    private var generator: SplitMix64
    private let registry = Registry()

    static func make(seed: UInt64) throws -> (registry: Registry, expected: HostileRegistry) {
        var hostile = HostileRegistry(generator: SplitMix64(seed: seed))
        for index in 10..<30 { try hostile.addFamily(index) }
        return (hostile.registry, hostile)
    }

    private init(generator: SplitMix64) {
        self.generator = generator
    }

    private mutating func addFamily(_ index: Int) throws {
        let name = "hostile_\(index)"
        // The reader strips white space at the ends of a line; nothing else of a help is lost.
        let help = "H" + text(0...6) + "."
        switch index % 5 {
        case 0: try addCounters(name, help)
        case 1: try addFloatCounters(name, help)
        case 2: try addGauges(name, help)
        case 3: try addHistograms(name, help)
        default: try addInfo(name, help)
        }
    }

    private mutating func addCounters(_ name: String, _ help: String) throws {
        families.append(Family(name: name, type: "counter", help: help))
        let family = try registry.counters(
            name + "_total",
            help: help,
            labels: Label<String>("a"),
            Label<String>("_b"),
            Label<Int>("C9")
        )
        for (first, second, number) in distinct({ ($0.text(0...4), $0.text(0...2), Int($0.generator.next() >> 40)) }) {
            let value: UInt64 = [0, 1, (1 << 53) + 1, generator.next()][number % 4]
            family(first, second, number).increment(by: value)
            samples.append(
                Sample(name + "_total", ["a": first, "_b": second, "C9": String(number)], Double(value))
            )
        }
    }

    private mutating func addFloatCounters(_ name: String, _ help: String) throws {
        families.append(Family(name: name, type: "counter", help: help))
        let value = Double.random(in: 0...1e9, using: &generator)
        try registry.floatCounter(name + "_total", help: help).increment(by: value)
        samples.append(Sample(name + "_total", [:], value))
    }

    private mutating func addGauges(_ name: String, _ help: String) throws {
        families.append(Family(name: name, type: "gauge", help: help))
        let family = try registry.gauges(name, help: help, labels: Label<String>("value"), Label<Int>("n"))
        for (index, value) in Self.oddNumbers.enumerated() {
            let label = text(0...5)
            family(label, index).set(value)
            samples.append(Sample(name, ["value": label, "n": String(index)], value))
        }
    }

    private mutating func addHistograms(_ name: String, _ help: String) throws {
        families.append(Family(name: name, type: "histogram", help: help))
        let bounds: [(Double, String)] = [
            (-1e9, "-1e+09"), (0, "0.0"), (.leastNonzeroMagnitude, "5e-324"), (0.1, "0.1"), (1, "1.0"),
            (100_000, "100000.0"),
            (1e6, "1e+06"), (.infinity, "+Inf"),
        ]
        let family = try registry.histograms(
            name,
            help: help,
            labels: Label<String>("a"),
            buckets: Buckets(bounds.dropLast().map(\.0))
        )
        for (label, _, _) in distinct({ ($0.text(0...4), "", 0) }) {
            let values = (0..<20).map { _ in Self.oddNumbers.randomElement(using: &generator) ?? 0 }
            let child = family(label)
            for value in values { child.observe(value) }
            for (bound, text) in bounds {
                let count = values.filter { $0 <= bound || bound == .infinity }.count
                samples.append(Sample(name + "_bucket", ["a": label, "le": text], Double(count)))
            }
            samples.append(Sample(name + "_count", ["a": label], Double(values.count)))
            samples.append(Sample(name + "_sum", ["a": label], values.reduce(0, +)))
        }
    }

    private mutating func addInfo(_ name: String, _ help: String) throws {
        families.append(Family(name: name + "_info", type: "gauge", help: help))
        let (first, second) = (text(1...5), text(0...5))
        try registry.info(name + "_info", help: help, ["one": first, "two": second])
        samples.append(Sample(name + "_info", ["one": first, "two": second], 1))
    }

    /// Up to ten label tuples, no two of which have the same bytes.
    private mutating func distinct(
        _ make: (inout HostileRegistry) -> (String, String, Int)
    ) -> [(String, String, Int)] {
        var seen: Set<[[UInt8]]> = []
        return (0..<10).compactMap { _ in
            let tuple = make(&self)
            let key = [Array(tuple.0.utf8), Array(tuple.1.utf8), Array(String(tuple.2).utf8)]
            return seen.insert(key).inserted ? tuple : nil
        }
    }

    private mutating func text(_ length: ClosedRange<Int>) -> String {
        (0..<Int.random(in: length, using: &generator)).map { _ in
            Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }
}
