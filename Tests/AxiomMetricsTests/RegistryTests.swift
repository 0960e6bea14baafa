// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Testing

@Suite("Registry")
struct RegistryTests {
    enum Outcome: String, LabelValue, CaseIterable {
        case success
        case failure
    }

    let registry = Registry()

    @Test("A metric without labels is on the page as 0 from the moment of its registration")
    func startsAtZero() throws {
        _ = try registry.counter("a_total", help: "A.")
        _ = try registry.floatCounter("b_total", help: "B.")
        _ = try registry.gauge("c", help: "C.")
        _ = try registry.histogram("d", help: "D.", buckets: [1])
        let page = registry.collect()
        #expect(page.families.map(\.definition.name) == ["a_total", "b_total", "c", "d"])
        for name in ["a_total", "b_total", "c", "d"] { #expect(page.value(name) == 0) }
    }

    @Test("Equal label values find the same child, other values find another one")
    func childIdentity() throws {
        let family = try registry.counters(
            "actions_total",
            help: "Actions.",
            labels: Label<String>("client"),
            Label<Outcome>("outcome")
        )
        let child = family("Cart", .success)
        #expect(family("Cart", .success) === child)
        #expect(family("Cart", .failure) !== child)
        #expect(family("Car", .success) !== child)
        #expect(family.count == 3)
        #expect(child.labels["client"] == "Cart")
        #expect(child.labels["outcome"] == "success")
    }

    @Test("Registering the same definition again gives the same series")
    func sameDefinition() throws {
        let first = try registry.histograms("h", help: "H.", labels: Label<Int>("shard"), buckets: [1, 2])
        let second = try registry.histograms("h", help: "H.", labels: Label<Int>("shard"), buckets: [1, 2])
        #expect(first(7) === second(7))
        #expect(try registry.counter("c_total", help: "C.") === registry.counter("c_total", help: "C."))
    }

    @Test("Label values that differ only in their encoding are different series, as they are to Prometheus")
    func byteIdentity() throws {
        let family = try registry.gauges("g", help: "G.", labels: Label<String>("name"))
        #expect("\u{e9}" == "e\u{301}")
        #expect(family("\u{e9}") !== family("e\u{301}"))
    }

    @Test("An empty label value is an absent label, and cannot make two series of one")
    func emptyValue() throws {
        let family = try registry.gauges("g", help: "G.", labels: Label<String>("a"), Label<String>("b"))
        #expect(family("", "x").labels.pairs.map(\.name) == ["b"])
        #expect(family("", "").labels.isEmpty)
        #expect(ExpositionFormat.text.page(registry.collect()).contains("\ng 0\n"))
        #expect(family("x", "").labels != family("", "x").labels)
    }

    @Test("Values cannot be shifted from one label to the next by quotes and commas in them")
    func noInjection() throws {
        let family = try registry.gauges("g", help: "G.", labels: Label<String>("a"), Label<String>("b"))
        let honest = family("x", "y")
        let hostile = family("x\",b=\"y", "")
        #expect(honest !== hostile)
        #expect(honest.labels != hostile.labels)
        #expect(hostile.labels.pairs.map(\.value) == ["x\",b=\"y"])
    }

    @Test("A removed child leaves the page, and a new look-up starts at 0")
    func removal() throws {
        let family = try registry.counters("c_total", help: "C.", labels: Label<Bool>("warm"))
        let old = family(true)
        old.increment(by: 5)
        _ = family(false)
        #expect(family.remove(old))
        #expect(!family.remove(old))
        #expect(registry.collect().family("c_total")?.count == 1)
        old.increment()
        #expect(family(true) !== old)
        #expect(!family.remove(old), "a new child with equal labels is not the old one")
        #expect(registry.collect().value("c_total", ["warm": "true"]) == 0)
        family.removeAll()
        #expect(registry.collect().family("c_total") == nil)
    }

    @Test("A hundred thousand children are all found, also while half of them are removed")
    func manyChildren() throws {
        let options = MetricOptions(seriesLimit: 100_000)
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("id"), options: options)
        for id in 0..<100_000 { family(id).increment(by: UInt64(id)) }
        #expect(family.count == 100_000)
        for id in stride(from: 0, to: 100_000, by: 2) { #expect(family.remove(family(id))) }
        for id in stride(from: 1, to: 100_000, by: 2) { #expect(family(id).value == UInt64(id)) }
        #expect(family.count == 50_000)
        let page = try #require(registry.collect().family("c_total"))
        #expect(page.count == 50_000)
        #expect(page.map(\.labels) == page.map(\.labels).sorted())
    }

    @Test("A child that several threads look up concurrently is made once")
    func concurrentCreation() async throws {
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("id"))
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for id in 0..<1_000 { family(id).increment() } }
            }
        }
        let page = try #require(registry.collect().family("c_total"))
        #expect(page.count == 1_000)
        #expect(page.allSatisfy { $0.integer == 4 })
    }

    @Test("An info metric has the value 1 and its facts as labels")
    func info() throws {
        try registry.info("build_info", help: "The build.", ["version": "1.2", "swift": "6.3"])
        #expect(registry.collect().value("build_info", ["version": "1.2", "swift": "6.3"]) == 1)
        #expect(ExpositionFormat.text.page(registry.collect()).contains("# TYPE build_info gauge\n"))
    }
}
