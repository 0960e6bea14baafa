// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomMetrics

extension FuzzTarget {
    /// Pages of metrics with hostile names, labels and numbers, read by the readers of `PageReaders.swift`.
    static let expositions: [FuzzTarget] = [
        FuzzTarget("exposition", maximumLength: 512, steps: (20_000, 500_000), share: 2, words: words, checkPage),
        FuzzTarget("number", maximumLength: 16, checkNumber),
    ]

    private static let words = [
        "\"", "\\", "\n", "\\n", "\r", "{", "}", ",", "=", "# EOF\n", "le=\"1\"", " # {} 1", "\u{2028}", "\u{202e}",
        "e\u{301}",
    ]

    /// Every sample of a page in each format has the name, the labels and the value that were recorded.
    private static func checkPage(_ bytes: [UInt8]) throws {
        var reader = FuzzReader(bytes)
        let (registry, samples) = try metrics(&reader)
        let snapshot = registry.collect()
        let wanted = Set(samples)
        try requireEqual(wanted.count, samples.count, "the number of different samples")
        let text = ExpositionFormat(.text, "1.0.0", .allowUTF8).page(snapshot)
        try check(try LineReader.samples(text, isOpenMetrics: false), wanted, text)
        let open = ExpositionFormat(.openMetrics, "1.0.0", .allowUTF8).page(snapshot)
        try check(try LineReader.samples(open, isOpenMetrics: true), wanted, open)
        let open2 = ExpositionFormat(.openMetrics2, "2.0.0", .allowUTF8).page(snapshot)
        try check(try LineReader.samples(open2, isOpenMetrics: true, hasStarts: true), wanted, open2)
        var buffer = ExpositionBuffer()
        ProtobufEncoder(escaping: .allowUTF8).encode(snapshot, into: &buffer)
        try check(try MessageReader.samples(buffer.bytes), wanted, "protocol buffers")
        for escaping in NameEscaping.changing {
            let page = ExpositionFormat(.text, "1.0.0", escaping).page(snapshot)
            for sample in try LineReader.samples(page, isOpenMetrics: false) {
                let names = [sample.name] + sample.labels.map(\.name)
                try require(names.allSatisfy(NameRules.isIdentifier), "\(names) is not classic")
            }
        }
    }

    private static func check(_ found: [PageSample], _ wanted: Set<PageSample>, _ page: String) throws(FuzzFailure) {
        try require(found.count == wanted.count && Set(found) == wanted, "other samples than \(wanted): \(page)")
    }

    /// Up to four families with up to four series each, and their samples.
    private static func metrics(_ reader: inout FuzzReader) throws -> (Registry, [PageSample]) {
        let registry = Registry()
        var values: [PageSample: Double] = [:]
        for _ in 0..<4 where !reader.isAtEnd {
            let isCounter = reader.byte() & 1 == 1
            let name = reader.text(40) + (isCounter ? "_total" : "")
            let names = (reader.text(20), reader.text(20))
            let (first, second) = (Label<String>(names.0), Label<String>(names.1))
            let options = MetricOptions(names: .utf8, valueByteLimit: 128)
            let help = reader.text(30)
            let counters =
                isCounter ? try? registry.floatCounters(name, help: help, labels: first, second, options: options) : nil
            let gauges =
                isCounter ? nil : try? registry.gauges(name, help: help, labels: first, second, options: options)
            for _ in 0..<4 where !reader.isAtEnd && (counters != nil || gauges != nil) {
                let texts = (reader.text(30), reader.text(30))
                let number = Double(bitPattern: reader.word())
                let labels = [(names.0, texts.0), (names.1, texts.1)]
                let key = PageSample(name, labels, 0)
                if let counters {
                    let amount = number.isFinite ? number.magnitude : 1
                    counters(texts.0, texts.1).increment(by: amount)
                    values[key, default: 0] += amount
                } else {
                    gauges?(texts.0, texts.1).set(number)
                    values[key] = number
                }
            }
        }
        return (registry, values.map { PageSample($0.key.name, $0.key.labels.map { ($0.name, $0.value) }, $0.value) })
    }

    /// A number is written with digits that are read as the same number, within the room for it.
    private static func checkNumber(_ bytes: [UInt8]) throws {
        var reader = FuzzReader(bytes)
        let word = reader.word()
        let number = Double(bitPattern: word)
        for text in [NumberFormat.text(number), NumberFormat.boundText(number)] {
            try require(text.utf8.count <= 32, "\(text) is long")
            guard let read = PageSample.number(text) else { throw FuzzFailure(description: "\(text) is no number") }
            try require(read == number || read.isNaN && number.isNaN, "\(text) is read as \(read), and is \(number)")
        }
        let integer = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.maximumLength) { room in
            room.baseAddress.map { String(decoding: room[..<NumberFormat.write(word, to: $0)], as: UTF8.self) }
        }
        try requireEqual(integer, "\(word)", "the digits")
    }
}
