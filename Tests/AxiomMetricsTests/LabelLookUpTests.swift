// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Synchronization
import Testing

@testable import AxiomMetrics

@Suite("Look-up by labels")
struct LabelLookUpTests {
    private typealias Three = Family<Counter, String, String, String>

    /// Parts that a look-up could take for the structure of labels, texts around the sizes of words, and both forms of `é`.
    private static let parts = [
        "", "x", "y", "\"", "\\", "\n", ",", "=", "a=\"", "\",b=\"", "x\",b=", "\",\"", "x\\", "\0", "é", "e\u{301}",
        "1234567", "12345678", "123456789012345", "1234567890123456", "ShoppingCartClient-7", "日本語のラベル",
    ]

    private static func family(_ options: MetricOptions = MetricOptions(seriesLimit: 100_000)) throws -> Three {
        let labels = (Label<String>("a"), Label<String>("b"), Label<String>("c"))
        return try Registry().counters("c_total", help: "C.", labels: labels.0, labels.1, labels.2, options: options)
    }

    /// A random text; the same bytes are sometimes in memory of their own, although they are few.
    private static func text(_ random: inout SplitMix64) -> String {
        var text = ""
        if random.next() % 3 == 0 { text.reserveCapacity(64) }
        for _ in 0..<random.next() % 3 { text += parts[Int(random.next() % UInt64(parts.count))] }
        return text
    }

    @Test("Any values find the series of their bytes and no other, while series are removed", arguments: 1...8)
    func model(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let family = try Self.family()
        var model: [[[UInt8]]: Counter] = [:]
        for step in 0..<6_000 {
            let values = (0..<3).map { _ in Self.text(&random) }
            let key = values.map { Array($0.utf8) }
            let found = family(values[0], values[1], values[2])
            if let known = model[key] {
                #expect(found === known, "seed \(seed), step \(step): \(values)")
            } else {
                #expect(!model.values.contains { $0 === found }, "seed \(seed), step \(step): \(values)")
                model[key] = found
            }
            if random.next() % 4 == 0 {
                #expect(family.remove(found), "seed \(seed), step \(step): \(values)")
                model[key] = nil
            }
            #expect(family.count == model.count, "seed \(seed), step \(step)")
        }
        for (key, counter) in model {
            let values = key.map { String(decoding: $0, as: UTF8.self) }
            #expect(family(values[0], values[1], values[2]) === counter, "seed \(seed): \(values)")
        }
    }

    @Test("A value with the text of other labels does not find their series, though all lengths are equal")
    func structure() throws {
        let family = try Self.family()
        // Each pair would be rendered with the same bytes if values were not escaped, or up to the names.
        let pairs = [
            (("x", "1234LONG", "z"), ("x\",b=", "LONG", "z")), (("x", "y", ""), ("x\",b=\"y", "", "")),
            (("x", "", ""), ("", "x", "")), (("x", "y", ""), ("x", "", "y")), (("", "x", "y"), ("x", "", "y")),
        ]
        for (one, other) in pairs {
            let found = family(one.0, one.1, one.2)
            #expect(family(other.0, other.1, other.2) !== found, "\(other)")
            #expect(family(one.0, one.1, one.2) === found, "\(one)")
        }
    }

    @Test("Equal strings with different bytes are different series, as in Prometheus")
    func normalisation() throws {
        let family = try Self.family()
        #expect("é" == "e\u{301}")
        let composed = family("é", "é-long-enough-for-the-heap", "z")
        #expect(family("e\u{301}", "é-long-enough-for-the-heap", "z") !== composed)
        #expect(family("é", "e\u{301}-long-enough-for-the-heap", "z") !== composed)
        #expect(family(String(["é"] as [Character]), "é-long-enough-for-the-heap", "z") === composed)
        #expect(family.count == 3)
    }

    private struct Wide: LabelValue {
        let flag: Bool
        let number: Int64
        let isLong: Bool
        var labelValue: String { "\(flag) \(number)" + (isLong ? " and more than a short string has" : "") }
    }

    private enum Colour: String, LabelValue { case red, green }

    @Test("Values of any types and sizes are read in their places: the series is that of their texts", arguments: 1...4)
    func types(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let registry = Registry()
        let labels = (Label<Bool>("a"), Label<Wide>("b"), Label<Colour>("c"), Label<String>("d"), Label<Int>("e"))
        let family = try registry.counters(
            "c_total",
            help: "C.",
            labels: labels.0,
            labels.1,
            labels.2,
            labels.3,
            labels.4
        )
        let texts = try registry.counters(
            "c_total",
            help: "C.",
            labels: Label<String>("a"),
            Label<String>("b"),
            Label<String>("c"),
            Label<String>("d"),
            Label<String>("e")
        )
        for _ in 0..<200 {
            let bits = random.next()
            let wide = Wide(flag: bits & 1 == 0, number: Int64(bits & 7), isLong: bits & 16 == 0)
            let colour: Colour = bits & 32 == 0 ? .red : .green
            let (flag, text, number) = (bits & 64 == 0, Self.text(&random), Int(bits >> 60) - 8)
            let found = family(flag, wide, colour, text, number)
            let same = texts("\(flag)", wide.labelValue, colour.rawValue, text, "\(number)")
            #expect(found === same && family(flag, wide, colour, text, number) === found, "seed \(seed)")
        }
    }

    @Test("Names in quotes, cut values and series of names at run time find what they found before")
    func slowPaths() throws {
        let registry = Registry()
        let options = MetricOptions(valueByteLimit: 64)
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"), options: options)
        let long = String(repeating: "long", count: 40)
        #expect(family(long) === family(long) && family(long) !== family(long + "er"))
        let sum = try registry.series(.counter, "s_total", help: "S.", labels: [("a", "x\"y"), ("b", "plain")])
        let same = try registry.counters("s_total", help: "S.", labels: Label<String>("a"), Label<String>("b"))
        #expect(same("x\"y", "plain") === sum && same("x", "plain") !== sum)
    }

    @Test("Increments are conserved while threads look up, remove and expire series", .timeLimit(.minutes(10)))
    func conservation() throws {
        let family = try Self.family(MetricOptions(seriesLimit: 200))
        let lost = Atomic<Int>(0)
        Threads.run(8) { thread in
            var random = SplitMix64(seed: UInt64(thread) + 1)
            for step in 0..<5_000 {
                let kept = "kept \(step % 20)"
                family(kept, "addItemToCartAction3", "european-region-0001").increment()
                let own = family("thread \(thread)", "step \(random.next() % 4) \"quoted\"", Self.parts[step % 20])
                own.increment()
                if own.labels["a"] != "thread \(thread)" { lost.wrappingAdd(1, ordering: .relaxed) }
                if !family.remove(own) { lost.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(lost.load(ordering: .relaxed) == 0)
        #expect(family.count == 20)
        for kept in 0..<20 {
            #expect(family("kept \(kept)", "addItemToCartAction3", "european-region-0001").value == 8 * 250)
        }
    }
}
