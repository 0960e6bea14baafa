// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomMetrics

@Suite("Broken pages of OpenMetrics 2.0")
struct OpenMetrics2MutationTests {
    @Test("Every known way to break a generated page is refused")
    func knownWays() throws {
        var applied: [String: Int] = [:]
        for seed in 0..<max(40, TestScale.count(800)) {
            var page = try GeneratedPage(seed: UInt64(seed), families: 4...7)
            for way in PageMutation.all {
                var lines = MutableLines(page.text)
                guard way.apply(&lines, &page.generator) else { continue }
                applied[way.name, default: 0] += 1
                #expect(throws: OpenMetrics2Reader.Refusal.self, "seed \(seed): \(way.name)") {
                    try OpenMetrics2Reader.read(lines.bytes)
                }
            }
        }
        let missing = PageMutation.all.map(\.name).filter { applied[$0] == nil }
        #expect(missing.isEmpty, "\(missing)")
    }

    /// What is claimed of random bytes: the reader ends without a trap, and a page that it accepts is a page: what it read
    /// can be written by another writer, and is read again as the same.
    @Test("A page with random changes is refused, or is another page that can be written and read again")
    func randomBytes() throws {
        var (refused, other) = (0, 0)
        for seed in 0..<max(40, TestScale.count(800)) {
            var page = try GeneratedPage(seed: UInt64(seed), families: 1...4)
            for _ in 0..<10 {
                let bytes = Self.changed(Array(page.text.utf8), &page.generator)
                guard let found = try? OpenMetrics2Reader.read(bytes) else {
                    refused += 1
                    continue
                }
                if found != page.expected { other += 1 }
                let again = try OpenMetrics2Reader.read(found.text)
                #expect(again == found, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(refused > other && other > 0, "\(refused) pages were refused, \(other) are others")
    }

    private static func changed(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        let alphabet = Array("{}[]\",=:#@ \n\\0123456789eE+-.NaInfst".utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = alphabet.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[position] = byte
            case 2: bytes.insert(byte, at: position)
            case 3 where bytes.count > 1: bytes.remove(at: position)
            default: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &generator))
            }
        }
        return bytes
    }

    @Test(
        "Planted errors of an encoder are found by the same check that accepts its pages",
        arguments: EncoderError.all
    )
    func plantedErrors(_ error: EncoderError) throws {
        var (changed, seed) = (0, 0)
        while changed < 2 {
            try #require(seed < 200, "no page has what \(error.name) changes")
            let page = try GeneratedPage(seed: UInt64(seed), families: 8...8)
            seed += 1
            let text = error.plant(page.text)
            if text == page.text { continue }
            changed += 1
            #expect(page.fault(of: text) != nil, "seed \(seed - 1): \(error.name)\n\(text)")
        }
    }
}

/// An error that an encoder could have, as a change of all of a page's lines.
struct EncoderError: Sendable, CustomTestStringConvertible {
    let name: String
    let plant: @Sendable (String) -> String

    var testDescription: String { name }

    private static func replacing(_ name: String, _ old: String, _ new: String) -> EncoderError {
        EncoderError(name: name) { $0.replacing(old, with: new) }
    }

    /// Changes the numbers of each list that begins with `field`.
    private static func lists(
        _ name: String,
        _ field: String,
        _ change: @escaping @Sendable ([Substring]) -> [String]
    ) -> EncoderError {
        EncoderError(name: name) { page in
            let parts = page.components(around: field)
            return parts.dropFirst().reduce(parts[0]) { text, part in
                let end = part.firstIndex(of: "]") ?? part.endIndex
                let list = change(part[..<end].split(separator: ",")).joined(separator: ",")
                return text + field + list + part[end...]
            }
        }
    }

    static let all = [
        replacing("the start time is left out", " st@1", " 1"),
        EncoderError(name: "counters lose their suffix in the metadata, as in 1.0") {
            $0.lines { $0.hasPrefix("# ") ? $0.replacing("_total counter", with: " counter") : $0 }
        },
        EncoderError(name: "help is not escaped") {
            $0.lines { $0.hasPrefix("# HELP") ? $0.replacing("\\\"", with: "\"") : $0 }
        },
        EncoderError(name: "units are left out") { $0.lines { $0.hasPrefix("# UNIT") ? nil : $0 } },
        EncoderError(name: "infos are gauges, as in text") {
            $0.lines { $0.hasPrefix("# TYPE") ? $0.replacing(" info", with: " gauge") : $0 }
        },
        replacing("the sum is another", ",sum:", ",sum:1"),
        replacing("the zero count is another", ",zero_count:", ",zero_count:1"),
        lists("buckets are not cumulative", ",bucket:[") { entries in
            var previous = 0
            return entries.map { entry in
                let count = Int(entry.split(separator: ":")[1]) ?? 0
                defer { previous = count }
                return "\(entry.split(separator: ":")[0]):\(count - previous)"
            }
        },
        lists("the bucket +Inf is left out", ",bucket:[") { $0.dropLast().map(String.init) },
        lists("native buckets are differences, as in protocol buffers", "_buckets:[") { entries in
            var previous = 0
            return entries.map { entry in
                let count = Int(entry) ?? 0
                defer { previous = count }
                return "\(count - previous)"
            }
        },
        lists("the offsets of spans are absolute", "_spans:[") { spans in
            var end = 0
            return spans.map { span in
                let parts = span.split(separator: ":").compactMap { Int($0) }
                let start = end + parts[0]
                end = start + parts[1]
                return "\(start):\(parts[1])"
            }
        },
        lists("spans begin one bucket too late", "_spans:[") { spans in
            spans.enumerated().map { position, span in
                let parts = span.split(separator: ":").compactMap { Int($0) }
                return "\(parts[0] + (position == 0 ? 1 : 0)):\(parts[1])"
            }
        },
        replacing("an exemplar's time is left out", ".125\n", "\n"),
        EncoderError(name: "only one exemplar is shown") { page in
            page.lines { line in
                let parts = line.components(around: ".125 # {")
                return parts.count > 1 ? parts[0] + ".125" : line
            }
        },
        replacing("the end is left out", "\n# EOF\n", "\n"),
    ]
}

extension String {
    /// The parts between occurrences of a text.
    fileprivate func components(around text: String) -> [String] {
        split(separator: text, omittingEmptySubsequences: false).map(String.init)
    }

    /// The text with each line changed, or left out. A line ends at a line feed, also after a carriage return.
    fileprivate func lines(_ change: (String) -> String?) -> String {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).compactMap {
            change(String($0) ?? "")
        }
        .joined(separator: "\n")
    }
}
