// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@Suite("Families with open labels")
struct OpenFamilyTests {
    private let registry = Registry()

    @Test("Series are identified by their labels in any order; a label with an empty value is absent")
    func identity() throws {
        let family = try registry.open(.counter, "c_total", help: "C.")
        let one = try family([("a", "1"), ("b", "2")])
        #expect(try family([("b", "2"), ("a", "1")]) === one)
        #expect(try family([("b", "2"), ("c", ""), ("a", "1")]) === one)
        #expect(try family([("a", "1")]) !== one)
        #expect(try family([]) === (try family([("z", "")])))
        #expect(family.count == 3)
        #expect(one.labels.description == #"{a="1",b="2"}"#)
    }

    @Test("A family shows nothing before its first series")
    func empty() throws {
        let family = try registry.open(.gauge, "g", help: "G.")
        #expect(ExpositionFormat.text.page(registry.collect()).isEmpty)
        try family([]).set(1)
        #expect(ExpositionFormat.text.page(registry.collect()).hasSuffix("g 1\n"))
    }

    @Test(
        "Names that cannot stand on a page are refused",
        arguments: [["a b"], ["__a"], ["le"], [""], ["a", "a"], [#"a="1",b"#]]
    )
    func names(_ names: [String]) throws {
        let family = try registry.open(.histogram(), "h", help: "H.")
        #expect { try family(names.map { ($0, "x") }) } throws: { ($0 as? MetricsError)?.code == .invalidLabel }
        #expect(family.count == 0)
    }

    @Test("One name cannot be a family with open and one with fixed labels")
    func conflict() throws {
        _ = try registry.open(.counter, "c_total", help: "C.")
        #expect { try registry.counter("c_total", help: "C.") } throws: {
            ($0 as? MetricsError)?.code == .conflictingDefinition
        }
        _ = try registry.open(.counter, "c_total", help: "C.")
    }

    @Test("Beyond the limit everything goes to one series, which has the label names of the first refused one")
    func bound() throws {
        registry.showOwnMetrics()
        let family = try registry.open(.counter, "c_total", help: "C.", options: MetricOptions(seriesLimit: 2))
        for id in 0..<100 { try family([("user", "\(id)"), ("path", "/")]).increment() }
        try family([("other", "x")]).increment()
        try family([("user", "0"), ("path", "/")]).increment()
        let reserved = try family([("user", "_overflow"), ("path", "_overflow")])
        #expect(family.count == 3)
        let page = registry.collect()
        #expect(page.value("c_total", ["path": "_overflow", "user": "_overflow"]) == 99)
        #expect(page.value("axiom_metrics_overflow_total", ["family": "c_total"]) == 99)
        #expect(reserved.value == 99)
    }

    @Test("No other series gets the labels of the overflow series while the family has room")
    func reserved() throws {
        let family = try registry.open(.counter, "c_total", help: "C.")
        let first = try family([("a", "_overflow"), ("b", "_overflow")])
        #expect(try family([("x", "_overflow")]) === first)
        #expect(try family([("a", "_overflow"), ("b", "1")]) !== first)
    }

    @Test(
        "Every kind is read back by promtool",
        .enabled(if: ExternalTool.promtool.mayRun, "\(ExternalTool.promtool.installation)")
    )
    func kinds() async throws {
        try registry.open(.counter, "c_total", help: "C.")([("a", "x")]).increment()
        try registry.open(.floatCounter, "f_total", help: "F.")([("b", "x")]).increment(by: 0.5)
        try registry.open(.gauge, "g", help: "G.")([("a", "x")]).set(1)
        try registry.open(.histogram(), "h", help: "H.")([("a", "x")]).observe(1)
        try registry.open(.exponentialHistogram(buckets: [1, 2]), "e", help: "E.")([("a", "x"), ("b", "")]).observe(1)
        let page = ExpositionFormat.text.page(registry.collect())
        let check = try await ExternalTool.promtool.run(["check", "metrics"], input: Data(page.utf8))
        #expect(check.status == 0, "\(check.output) \(check.errors)")
        #expect(page.contains(#"e_bucket{a="x",le="1.0"} 1"#))
    }

    @Test("Every format shows the label names of each series")
    func formats() throws {
        try registry.open(.counter, "c_total", help: "C.")([("flavour", "sencha")]).increment()
        let snapshot = registry.collect()
        #expect(ExpositionFormat.openMetrics.page(snapshot).contains("c_total{flavour=\"sencha\"} 1"))
        var buffer = ExpositionBuffer()
        ProtobufEncoder().encode(snapshot, into: &buffer)
        let page = String(decoding: buffer.bytes, as: UTF8.self)
        #expect(page.contains("flavour") && page.contains("sencha"))
    }
}
