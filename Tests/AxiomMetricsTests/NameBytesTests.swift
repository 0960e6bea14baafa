// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomMetrics

@Suite("Names by their bytes")
struct NameBytesTests {
    /// `café` with one code point for its last letter, and with two. To Swift they are equal.
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"
    private let options = MetricOptions(names: .utf8)

    @Test("Two encodings of one metric name are two metrics, each found by its own")
    func metrics() throws {
        let registry = Registry()
        let (one, two) = (Self.composed + "_total", Self.decomposed + "_total")
        try registry.counter(one, help: "C.", options: options).increment(by: 1)
        try registry.counter(two, help: "C.", options: options).increment(by: 2)
        let page = registry.collect()
        #expect(page.families.count == 2)
        #expect(page.value(one) == 1 && page.value(two) == 2)
        #expect(page.filtered([two]).families.map { Array($0.definition.name.utf8) } == [Array(two.utf8)])
        #expect(registry.unregister(one))
        #expect(registry.collect().family(one) == nil && registry.collect().value(two) == 2)
    }

    @Test("Two encodings of one label name are two labels, and two of one value are two series")
    func labels() throws {
        let registry = Registry()
        let family = try registry.counters(
            "c_total",
            help: "C.",
            labels: Label<String>(Self.composed),
            Label<String>(Self.decomposed),
            options: options
        )
        family("x", "y").increment()
        family("y", "x").increment(by: 3)
        #expect(family("x", "y").labels[Self.decomposed] == "y")
        let page = registry.collect()
        #expect(page.total("c_total", where: [Self.composed: "y"]) == 3)
        let values = try registry.counters("d_total", help: "D.", labels: Label<String>("a"))
        values(Self.composed).increment()
        values(Self.decomposed).increment(by: 2)
        #expect(registry.collect().value("d_total", ["a": Self.decomposed]) == 2)
        #expect(registry.collect().value("d_total", ["a": Self.composed]) == 1)
    }

    @Test("A label declared in another encoding is another definition")
    func definition() throws {
        let registry = Registry()
        _ = try registry.counters("c_total", help: "C.", labels: Label<String>(Self.composed), options: options)
        let error = #expect(throws: MetricsError.self) {
            try registry.counters("c_total", help: "C.", labels: Label<String>(Self.decomposed), options: options)
        }
        #expect(error?.code == .conflictingDefinition)
    }
}
