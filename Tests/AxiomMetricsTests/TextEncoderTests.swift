// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Testing

@Suite("Text encoder")
struct TextEncoderTests {
    @Test("A page of every kind, byte by byte")
    func golden() throws {
        let registry = Registry()
        let outcomes = try registry.counters(
            "shop_actions_total",
            help: "Actions \\ by \"outcome\"\nand client.",
            labels: Label<String>("client"),
            Label<Bool>("ok")
        )
        outcomes("Cart", true).increment(by: 1_000_000)
        outcomes("A\"\\\n", false).increment()
        try registry.floatCounter("cpu_seconds_total", help: "CPU.").increment(by: 1_000_000)
        try registry.gauge("load", help: "Load.").set(-.infinity)
        let latency = try registry.histograms(
            "latency_seconds",
            help: "Latency.",
            labels: Label<String>("route"),
            buckets: [1e-5, 0.25, 1, 1e6]
        )
        for value in [0, 0.25, 0.3, 5] { latency("/").observe(value) }
        try registry.histogram("size_bytes", help: "Size.", buckets: [-1]).observe(2)
        try registry.info("build_info", help: "Build.", ["version": "1"])

        #expect(
            ExpositionFormat.text.page(registry.collect()) == """
                # HELP build_info Build.
                # TYPE build_info gauge
                build_info{version="1"} 1
                # HELP cpu_seconds_total CPU.
                # TYPE cpu_seconds_total counter
                cpu_seconds_total 1e+06
                # HELP latency_seconds Latency.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{route="/",le="1e-05"} 1
                latency_seconds_bucket{route="/",le="0.25"} 2
                latency_seconds_bucket{route="/",le="1.0"} 3
                latency_seconds_bucket{route="/",le="1e+06"} 4
                latency_seconds_bucket{route="/",le="+Inf"} 4
                latency_seconds_sum{route="/"} 5.55
                latency_seconds_count{route="/"} 4
                # HELP load Load.
                # TYPE load gauge
                load -Inf
                # HELP shop_actions_total Actions \\\\ by "outcome"\\nand client.
                # TYPE shop_actions_total counter
                shop_actions_total{client="A\\"\\\\\\n",ok="false"} 1
                shop_actions_total{client="Cart",ok="true"} 1000000
                # HELP size_bytes Size.
                # TYPE size_bytes histogram
                size_bytes_bucket{le="-1.0"} 0
                size_bytes_bucket{le="+Inf"} 1
                size_bytes_sum 2
                size_bytes_count 1

                """
        )
    }

    @Test("An empty registry gives an empty page, and a family without series is left out")
    func empty() throws {
        let registry = Registry()
        _ = try registry.gauges("g", help: "G.", labels: Label<String>("a"))
        #expect(ExpositionFormat.text.page(registry.collect()) == "")
    }

    @Test("The page does not depend on the order in which families and series were made")
    func reproducible() throws {
        func page(_ seed: UInt64) throws -> String {
            var generator = SplitMix64(seed: seed)
            let registry = Registry()
            for family in (0..<20).shuffled(using: &generator) {
                let gauges = try registry.gauges(
                    "g\(family)",
                    help: "G.",
                    labels: Label<Int>("a"),
                    Label<String>("b")
                )
                for child in (0..<50).shuffled(using: &generator) {
                    gauges(child, String(child * 7 % 50)).set(Double(child))
                }
            }
            return ExpositionFormat.text.page(registry.collect())
        }
        let first = try page(1)
        for seed: UInt64 in 2...5 { #expect(try page(seed) == first) }
    }

    @Test("A reused buffer contains only the new page")
    func reuse() throws {
        let registry = Registry()
        let options = MetricOptions(seriesLimit: 5_000)
        let family = try registry.gauges("g", help: "G.", labels: Label<Int>("a"), options: options)
        for child in 0..<5_000 { family(child).set(1.5) }
        var buffer = ExpositionBuffer(capacity: 1)
        ExpositionFormat.text.encode(registry.collect(), into: &buffer)
        let large = buffer.bytes
        #expect(large.count > 50_000)
        family.removeAll()
        family(1).set(2)
        buffer.removeAll()
        ExpositionFormat.text.encode(registry.collect(), into: &buffer)
        #expect(buffer.bytes == Array("# HELP g G.\n# TYPE g gauge\ng{a=\"1\"} 2\n".utf8))
    }

    @Test("A snapshot keeps its values while recording continues")
    func snapshotIsValue() throws {
        let registry = Registry()
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("a"))
        family(1).increment()
        let snapshot = registry.collect()
        let page = ExpositionFormat.text.page(snapshot)
        family(1).increment()
        family(0).increment()
        #expect(ExpositionFormat.text.page(snapshot) == page)
        #expect(snapshot.value("c_total", ["a": "1"]) == 1)
    }

    @Test("Zero has no sign in the line formats")
    func negativeZero() throws {
        let registry = Registry()
        try registry.gauge("g", help: "G.").set(-0.0)
        let page = registry.collect()
        let (text, openMetrics) = (page.text, ExpositionFormat.openMetrics.page(page))
        #expect(text.hasSuffix("\ng 0\n"))
        #expect(openMetrics.contains("\ng 0\n"))
    }

    @Test("Every NaN is the same one in protocol buffers, and never Prometheus' mark for the end of a series")
    func canonicalNaN() throws {
        let registry = Registry()
        let gauge = try registry.gauge("g", help: "G.")
        let histogram = try registry.histogram("h", help: "H.")
        var pages: Set<[UInt8]> = []
        for bits: UInt64 in [0x7ff0_0000_0000_0002, 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000] {
            gauge.set(Double(bitPattern: bits))
            histogram.observe(Double(bitPattern: bits))
            var buffer = ExpositionBuffer()
            ProtobufEncoder().encode(registry.collect().filtered(["g"]), into: &buffer)
            pages.insert(buffer.bytes)
            buffer.removeAll()
            ProtobufEncoder().encode(registry.collect(), into: &buffer)
            let quiet = withUnsafeBytes(of: Double.nan.bitPattern.littleEndian) { Array($0) }
            #expect(buffer.bytes.contains(quiet))
            let stale = withUnsafeBytes(of: (0x7ff0_0000_0000_0002 as UInt64).littleEndian) { Array($0) }
            #expect(!buffer.bytes.contains(stale))
        }
        #expect(pages.count == 1)
    }
}
