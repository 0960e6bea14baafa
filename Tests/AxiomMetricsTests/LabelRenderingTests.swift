// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Foundation
import Testing

@Suite("Rendering and look-up of labels")
struct LabelRenderingTests {
    /// Texts of every length around the words in which they are copied, with a character that is escaped in each place.
    private static let values: [String] = (1...40).flatMap { length -> [String] in
        let plain = (0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) }
        let special = (0..<length).flatMap { place in
            (["\\", "\"", "\n"] as [Character]).map { escaped in
                var text = plain
                text[place] = escaped
                return String(text)
            }
        }
        return [String(plain)] + special
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
    }

    @Test("Texts of every length are rendered completely, with escapes at every position")
    func rendering() throws {
        let registry = Registry()
        let family = try registry.counters(
            "c_total",
            help: "C.",
            labels: Label<String>("a"),
            Label<String>("longer_name"),
            options: MetricOptions(seriesLimit: 10_000)
        )
        for value in Self.values { family(value, value).increment() }
        let page = ExpositionFormat.text.page(registry.collect())
        let lines = Set(page.split(separator: "\n").map(String.init))
        for value in Self.values {
            let text = Self.escaped(value)
            #expect(lines.contains(#"c_total{a="\#(text)",longer_name="\#(text)"} 1"#))
        }
        #expect(family.count == Self.values.count)
    }

    @Test("Texts that differ in one byte or in length have different hashes, for any seed")
    func hashes() {
        for seed: UInt64 in [0, 1, .max, 0x0123_4567_89ab_cdef] {
            var seen: Set<UInt64> = []
            for value in Self.values {
                let hash = Array(value.utf8).withUnsafeBytes { ByteHash.hash($0, seed: seed) }
                #expect(seen.insert(hash).inserted, "\(value) has the hash of another text")
            }
        }
    }

    @Test(
        "An overflow is reported on one line with the family, the time, the limit and the refused labels"
    )
    func overflowLine() async throws {
        let pipe = Pipe()
        let registry = Registry(onOverflow: { $0.log(to: pipe.fileHandleForWriting.fileDescriptor) })
        let family = try registry.counters(
            "shop_orders_total",
            help: "C.",
            labels: Label<String>("user"),
            options: MetricOptions(seriesLimit: 1)
        )
        for user in ["ada", "eve\n\u{1B}[31m", "mallory"] { family(user).increment() }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 1)
        for part in ["shop_orders_total", "limit of 1 series", #"{user="eve\n\u{1b}[31m"}"#, "warning: 20"] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
    }

    @Test("A full pipe does not block the refused look-up", .timeLimit(.minutes(10)))
    func fullPipe() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        var filled = 0
        for size in [4_096, 1] {
            let block = [UInt8](repeating: UInt8(ascii: "."), count: size)
            while case let count = write(descriptor, block, size), count > 0 { filled += count }
        }
        _ = fcntl(descriptor, F_SETFL, flags)
        let registry = Registry(onOverflow: { $0.log(to: descriptor) })
        let options = MetricOptions(seriesLimit: 1)
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("user"), options: options)
        for user in ["ada", "eve", "mallory"] { family(user).increment() }
        #expect(registry.collect().family("c_total")?.overflow?.refusals == 2)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.dropFirst(filled).hasPrefix("warning: 20"))
    }
}
