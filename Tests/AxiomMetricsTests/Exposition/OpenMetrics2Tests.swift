// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomMetrics

@Suite("OpenMetrics 2.0")
struct OpenMetrics2Tests {
    @Test("A page has one line per series: composite values, start times, exemplars, names as they are")
    func page() throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000.5)
        let registry = Registry(clock: .manual(time))
        let visits = try registry.counters("shop_visits_total", help: "V \"x\"\n\\.", labels: Label<String>("client"))
        visits("a\"\n\\").increment(by: 9_007_199_254_740_993, exemplar: ["trace_id": "c0ffee"])
        try registry.gauge("heat_celsius", help: "H.", options: .unit("celsius")).set(-.infinity)
        try registry.info("build_info", help: "B.", ["version": "1"])
        let wait = try registry.histogram(
            "wait_seconds",
            help: "W.",
            buckets: [-1, 0.5, 1e6],
            options: .unit("seconds")
        )
        time.advance(by: .seconds(1))
        for value in [-2, 0.25, 1e7] { wait.observe(value, exemplar: ["trace_id": "\(value)"]) }
        let both = try registry.exponentialHistogram("both", help: "B.", buckets: [1])
        for value in [-3.0, 0, 1, 4, 4, .infinity] { both.observe(value) }
        let bare = try registry.exponentialHistogram("bare", help: "B.", bucketing: ExponentialBucketing(schema: 0))
        bare.observe(.nan)
        _ = try registry.gauges("never", help: "N.", labels: Label<Int>("n"))
        #expect(
            ExpositionFormat.openMetrics2.page(registry.collect()) == #"""
                # TYPE bare histogram
                # HELP bare B.
                bare {count:1,sum:NaN,schema:0,zero_threshold:2.938735877055719e-39,zero_count:0} st@1700000001.5
                # TYPE both histogram
                # HELP both B.
                both {count:6,sum:+Inf,schema:6,zero_threshold:2.938735877055719e-39,zero_count:1,negative_spans:[102:1],negative_buckets:[1],positive_spans:[0:1,127:1,65408:1],positive_buckets:[1,2,1],bucket:[1.0:3,+Inf:6]} st@1700000001.5
                # TYPE build_info info
                # HELP build_info B.
                build_info{version="1"} 1
                # TYPE heat_celsius gauge
                # UNIT heat_celsius celsius
                # HELP heat_celsius H.
                heat_celsius -Inf
                # TYPE shop_visits_total counter
                # HELP shop_visits_total V \"x\"\n\\.
                shop_visits_total{client="a\"\n\\"} 9007199254740993 st@1700000000.5 # {trace_id="c0ffee"} 9.007199254740992e+15 1700000000.5
                # TYPE wait_seconds histogram
                # UNIT wait_seconds seconds
                # HELP wait_seconds W.
                wait_seconds {count:3,sum:9.99999825e+06,bucket:[-1.0:1,0.5:2,1e+06:2,+Inf:3]} st@1700000000.5 # {trace_id="-2.0"} -2 1700000001.5 # {trace_id="0.25"} 0.25 1700000001.5 # {trace_id="10000000.0"} 1e+07 1700000001.5
                # EOF

                """#
        )
    }

    @Test("Ten thousand generated pages are accepted and read back as the snapshots that they show")
    func roundTrip() throws {
        var shown = Shown()
        let pages = TestScale.count(10_000)
        for seed in 0..<pages {
            let generated = try GeneratedPage(seed: UInt64(seed), families: 1...8)
            try #require(generated.fault == nil, "seed \(seed): \(generated.fault ?? "")\n\(generated.text)")
            shown.count(generated)
        }
        // The generator makes what the claim is about.
        if pages < 500 { return }
        #expect(shown.kinds.values.allSatisfy { $0 > 5 } && shown.kinds.count == Shown.names.count, "\(shown.kinds)")
    }

    @Test("The reader takes every example of the specification, and writes it back")
    func examples() throws {
        for example in OpenMetrics2Examples.valid {
            let page = try OpenMetrics2Reader.read(example)
            #expect(try OpenMetrics2Reader.read(page.text) == page, "\(example)")
        }
        for example in OpenMetrics2Examples.invalid {
            #expect(throws: OpenMetrics2Reader.Refusal.self, "\(example)") { try OpenMetrics2Reader.read(example) }
        }
    }

    @Test("The times of an exponential histogram's resets are shown, and so are all of its exemplars")
    func resets() throws {
        let time = ManualTime(secondsSinceEpoch: 1_000)
        let registry = Registry(clock: .manual(time))
        let bucketing = ExponentialBucketing(schema: 8, maximumBuckets: 2, minimumResetInterval: .seconds(5))
        let histogram = try registry.exponentialHistogram("h", help: "H.", bucketing: bucketing)
        for exponent in 0..<16 {
            histogram.observe(Double(1 << exponent), exemplar: ["id": "\(exponent)"])
        }
        time.advance(by: .seconds(10))
        let first = ExpositionFormat.openMetrics2.page(registry.collect())
        #expect(first.contains(" st@1000 ") && first.split(separator: " # {").count == 17)
        histogram.observe(1)
        #expect(ExpositionFormat.openMetrics2.page(registry.collect()).contains("{count:1,sum:1,schema:8"))
        #expect(ExpositionFormat.openMetrics2.page(registry.collect()).contains(" st@1010 "))
    }

    @Test("An exemplar without a time is left out, because the format requires one")
    func timelessExemplar() throws {
        let registry = Registry()
        let counter = try registry.counter("c_total", help: "C.")
        counter.increment()
        let family = try #require(registry.collect().family("c_total"))
        let exemplars = [Double.nan, 5].compactMap { Exemplar(["id": "\($0)"], value: 1, timestamp: $0) }
        let changed = FamilySnapshot(
            definition: family.definition,
            series: SeriesList([.none]),
            samples: family.samples,
            exemplars: exemplars.map { ExemplarEntry(series: 0, bucket: 0, exemplar: $0) }
        )
        let page = ExpositionFormat.openMetrics2.page(Snapshot(families: [changed], problems: []))
        #expect(page.contains("\nc_total 1 # {id=\"5.0\"} 1 5\n"))
    }

    @Test("The pages of a registry take the same bytes again, and a new series its own start time")
    func again() throws {
        let time = ManualTime(secondsSinceEpoch: 1_000)
        let registry = Registry(clock: .manual(time))
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("n"))
        family(1).increment()
        let page = ExpositionFormat.openMetrics2.page(registry.collect())
        #expect(page == ExpositionFormat.openMetrics2.page(registry.collect()))
        time.advance(by: .seconds(1))
        family(2).increment()
        #expect(
            ExpositionFormat.openMetrics2.page(registry.collect()).contains(
                "c_total{n=\"1\"} 1 st@1000\nc_total{n=\"2\"} 1 st@1001\n"
            )
        )
    }
}

/// What generated pages showed, so that a test can say that its generator makes it.
private struct Shown {
    static let names = [
        "empty family", "no start", "exemplars", "several exemplars", "classic", "native", "both", "negative buckets",
        "zero buckets", "infinite buckets", "NaN sum", "negative bound", "quoted", "unit", "info", "no family",
    ]
    private(set) var kinds: [String: Int] = [:]

    mutating func count(_ generated: GeneratedPage) {
        let families = generated.expected.families
        add("no family", families.isEmpty)
        for family in families {
            add("empty family", family.metrics.isEmpty)
            add("unit", family.unit != nil)
            add("info", family.type == "info")
            add("quoted", !NameRules.isIdentifier(String(decoding: family.name, as: UTF8.self)))
            for sample in family.metrics.flatMap(\.samples) {
                add("no start", family.type == "counter" && sample.start == nil)
                add("exemplars", !sample.exemplars.isEmpty)
                add("several exemplars", sample.exemplars.count > 1)
                guard case .histogram(let histogram) = sample.value else { continue }
                add("classic", histogram.native == nil)
                add("native", histogram.classic == nil)
                add("both", histogram.native != nil && histogram.classic != nil)
                add("NaN sum", histogram.sum.value.isNaN)
                add("negative bound", (histogram.classic?.first?.bound ?? 0) < 0)
                guard let native = histogram.native else { continue }
                add("negative buckets", !native.negative.isEmpty)
                add("zero buckets", native.zeroCount.value > 0)
                let infinite = native.schema >= 0 ? (1_024 << native.schema) + 1 : (1_024 >> -native.schema) + 1
                add("infinite buckets", native.positive[infinite] != nil)
            }
        }
    }

    private mutating func add(_ name: String, _ isShown: Bool) {
        if isShown { kinds[name, default: 0] += 1 }
    }
}
