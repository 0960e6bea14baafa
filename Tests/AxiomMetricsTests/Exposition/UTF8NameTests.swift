// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomMetrics

@Suite("Names beyond letters, digits and underscores")
struct UTF8NameTests {
    private let utf8 = MetricOptions(names: .utf8)

    private func makePage(_ escaping: NameEscaping, _ encode: (NameEscaping, Snapshot) -> String) throws -> String {
        let registry = Registry()
        let visits = try registry.counters(
            "shop.visits_total",
            help: "V.",
            labels: Label<String>("user.kind"),
            Label<String>("x"),
            options: utf8
        )
        visits("new", "").increment()
        let options = MetricOptions(unit: "seconds", names: .utf8)
        try registry.histogram("wait-time_seconds", help: "W.", buckets: [1], options: options).observe(0.5)
        return encode(escaping, registry.collect())
    }

    @Test(
        "Text 1.0.0 quotes them inside the braces; the other schemes change them",
        arguments: [
            (
                NameEscaping.allowUTF8, "\"shop.visits_total\"", "{\"shop.visits_total\",\"user.kind\"=\"new\"} 1",
                "{\"wait-time_seconds_bucket\",le=\"1.0\"} 1"
            ),
            (
                .underscores, "shop_visits_total", "shop_visits_total{user_kind=\"new\"} 1",
                "wait_time_seconds_bucket{le=\"1.0\"} 1"
            ),
            (
                .dots, "shop_dot_visits__total", "shop_dot_visits__total{user_dot_kind=\"new\"} 1",
                "wait__time__seconds_bucket{le=\"1.0\"} 1"
            ),
            (
                .values, "U__shop_2e_visits__total", "U__shop_2e_visits__total{U__user_2e_kind=\"new\"} 1",
                "U__wait_2d_time__seconds_bucket{le=\"1.0\"} 1"
            ),
        ]
    )
    func text(_ escaping: NameEscaping, _ name: String, _ counter: String, _ bucket: String) throws {
        let page = try makePage(escaping) { ExpositionFormat(.text, "1.0.0", $0).page($1) }
        #expect(page.contains("# TYPE \(name) counter\n\(counter)\n"))
        #expect(page.contains("\n\(bucket)\n"))
    }

    @Test("OpenMetrics drops the suffix in the metadata, inside the quotes")
    func openMetrics() throws {
        let page = try makePage(.allowUTF8) { ExpositionFormat(.openMetrics, "1.0.0", $0).page($1) }
        #expect(
            page == """
                # TYPE "shop.visits" counter
                # HELP "shop.visits" V.
                {"shop.visits_total","user.kind"="new"} 1
                # TYPE "wait-time_seconds" histogram
                # UNIT "wait-time_seconds" seconds
                # HELP "wait-time_seconds" W.
                {"wait-time_seconds_bucket",le="1.0"} 1
                {"wait-time_seconds_bucket",le="+Inf"} 1
                {"wait-time_seconds_sum"} 0.5
                {"wait-time_seconds_count"} 1
                # EOF

                """
        )
    }

    @Test("Families and labels with the same name in some escaping are refused")
    func clashes() throws {
        let registry = Registry()
        _ = try registry.gauge("a.b", help: "A.", options: utf8)
        for name in ["a-b", "a_b", "a_dot_b", "U__a_2e_b"] {
            let error = #expect(throws: MetricsError.self) { try registry.gauge(name, help: "A.", options: utf8) }
            #expect(error?.code == .nameClash, "\(name)")
        }
        _ = try registry.gauge("a.c", help: "A.", options: utf8)
        let error = #expect(throws: MetricsError.self) {
            try registry.gauges("g", help: "G.", labels: Label<Int>("x.y"), Label<Int>("x-y"), options: utf8)
        }
        #expect(error?.code == .invalidLabel)
        #expect(error?.message.contains("x.y and x-y") == true)
    }

    @Test(
        "What could run in a careless page, or that readers reserve, is refused",
        arguments: ["<b>", "a&b", "a\"b", "a'b", "a`b", "a:b", "a\nb", "a\u{0}b", "a\u{2028}b", ""]
    )
    func refused(_ name: String) {
        #expect(throws: MetricsError.self) { try Registry().gauge(name, help: "G.", options: utf8) }
        #expect(throws: MetricsError.self) {
            try Registry().gauges("g", help: "G.", labels: Label<Int>(name), options: utf8)
        }
    }

    @Test("Without the option only classic names are accepted, and the error names the option")
    func classic() {
        let error = #expect(throws: MetricsError.self) { try Registry().gauge("a.b", help: "G.") }
        #expect(error?.message.contains("names: .utf8") == true)
        #expect(throws: MetricsError.self) {
            try Registry().gauges("g", help: "G.", labels: Label<Int>(".._x"), options: utf8)
        }
    }

    @Test("Labels with such names are found in snapshots")
    func snapshot() throws {
        let registry = Registry()
        let gauges = try registry.gauges("g.x", help: "G.", labels: Label<String>("a=b,c\\"), options: utf8)
        gauges("v\"\\\n").set(2)
        #expect(registry.collect().value("g.x", ["a=b,c\\": "v\"\\\n"]) == 2)
    }
}
