// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Testing

@Suite("Callbacks and collectors")
struct CollectionTests {
    private struct Failure: Error {}

    private struct Source: Collector {
        let body: @Sendable () throws -> [CollectedFamily]
        func collect() throws -> [CollectedFamily] { try body() }
    }

    let registry = Registry()

    init() throws {
        try registry.counter("good_total", help: "Always there.").increment()
    }

    @Test("The series of a page are in the order of the bytes of their labels, whatever they share", arguments: 0..<30)
    func order(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let family = try registry.counters("order_total", help: "O.", labels: Label<String>("a"), Label<String>("b"))
        let parts = ["", "x", "xx", "\0", "é", "\"", "user-", "user-1", "user-10", "longer-than-one-word"]
        let (first, count) = (parts.randomElement(using: &random) ?? "", Int.random(in: 0...400, using: &random))
        func text() -> String {
            (0..<Int.random(in: 0..<4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<count { family(Bool.random(using: &random) ? first : first + text(), text()).increment() }
        let labels =
            registry.collect().family("order_total")?.map { Array($0.labels.description.utf8).dropLast() } ?? []
        for (left, right) in zip(labels, labels.dropFirst()) {
            #expect(left.lexicographicallyPrecedes(right), "seed \(seed)")
        }
        #expect(labels.count <= count && (labels.isEmpty == (count == 0)))
    }

    @Test("A callback is called at every scrape")
    func callbacks() throws {
        let source = try registry.counter("source_total", help: "S.")
        try registry.gaugeCallback("twice", help: "T.") { Double(source.value) * 2 }
        try registry.counterCallback("copy_total", help: "C.") { Double(source.value) }
        for step in 0..<3 {
            let page = registry.collect()
            #expect(page.value("twice") == Double(step) * 2)
            #expect(page.value("copy_total") == Double(step))
            source.increment()
        }
        #expect(throws: MetricsError.self) { try registry.gaugeCallback("twice", help: "T.") { 0 } }
        #expect(throws: MetricsError.self) { try registry.gauge("twice", help: "T.") }
    }

    @Test("A callback that throws or returns an invalid total is omitted and reported")
    func badCallbacks() throws {
        try registry.gaugeCallback("broken", help: "B.") { throw Failure() }
        try registry.counterCallback("negative_total", help: "N.") { -1 }
        try registry.counterCallback("nan_total", help: "N.") { .nan }
        let page = registry.collect()
        #expect(page.families.map(\.definition.name) == ["good_total"])
        #expect(Set(page.problems.compactMap(\.family)) == ["broken", "negative_total", "nan_total"])
        #expect(page.problems.first { $0.family == "broken" }?.cause?.contains("Failure") == true)
    }

    @Test("A collector's families are on the page, with label values that were not registered before")
    func collector() throws {
        registry.register(
            Source {
                var live = CollectedFamily.gauge("live", help: "Living.", labels: "kind", "name")
                live.add(2, "context", "Cart")
                live.add(1, "client", "User\n\"x\"")
                return [live]
            }
        )
        let page = registry.collect()
        #expect(page.value("live", ["kind": "context", "name": "Cart"]) == 2)
        #expect(page.value("live", ["kind": "client", "name": "User\n\"x\""]) == 1)
        #expect(page.total("live") == 3)
        #expect(page.total("live", where: ["kind": "client"]) == 1)
        #expect(page.problems.isEmpty)
    }

    @Test("A collector that throws is reported and affects no other metric")
    func throwingCollector() throws {
        registry.register(Source { throw Failure() })
        let page = registry.collect()
        #expect(page.families.map(\.definition.name) == ["good_total"])
        #expect(page.problems.map(\.code) == [.collectorFailed])
        #expect(page.problems.first?.description.contains("Failure()") == true)
    }

    @Test("Each kind of invalid sample is refused with its family only")
    func rubbish() throws {
        _ = try registry.histogram("taken", help: "T.")
        registry.register(
            Source {
                var fine = CollectedFamily.gauge("fine", help: "F.", labels: "a")
                fine.add(.nan, "x")
                var twice = CollectedFamily.gauge("twice", help: "T.", labels: "a", "b")
                twice.add(1, "x", "")
                twice.add(2, "x", "")
                var arity = CollectedFamily.gauge("arity", help: "A.", labels: "a")
                arity.add(1)
                var negative = CollectedFamily.counter("negative_total", help: "N.")
                negative.add(-1)
                var fact = CollectedFamily.info("fact_info", help: "F.")
                fact.add(2)
                var clash = CollectedFamily.gauge("taken_count", help: "C.")
                clash.add(1)
                var again = CollectedFamily.gauge("fine", help: "F.")
                again.add(1)
                let name = CollectedFamily.gauge("no name", help: "N.")
                let label = CollectedFamily.gauge("label", help: "N.", labels: "__a")
                return [fine, twice, arity, negative, fact, clash, again, name, label]
            }
        )
        let page = registry.collect()
        #expect(page.families.map(\.definition.name) == ["fine", "good_total", "taken"])
        #expect(
            page.problems.map(\.code) == [
                .duplicateSeries, .invalidSample, .invalidSample, .invalidSample, .nameClash, .nameClash, .invalidName,
                .invalidLabel,
            ]
        )
        #expect(page.value("good_total") == 1)
    }

    @Test("A collector may use its own registry")
    func reentrancy() throws {
        let registry = registry
        let registration = registry.register(
            Source {
                try registry.counter("scrapes_total", help: "S.").increment()
                return []
            }
        )
        // The registry keeps the collector, and that the registry.
        defer { registry.unregister(registration) }
        #expect(registry.collect().problems.isEmpty)
        #expect(registry.collect().value("scrapes_total") == 1)
    }
}
