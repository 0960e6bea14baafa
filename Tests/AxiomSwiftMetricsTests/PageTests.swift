// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomSwiftMetrics
import AxiomTestSupport
import Foundation
import Metrics
import Testing

import class CoreMetrics.Counter
import class CoreMetrics.Gauge

@Suite("Metrics of swift-metrics on the page")
struct PageTests {
    private let backend = Backend()

    @Test("Every type appears under its name, with its type, help and unit")
    func types() {
        withMetricsFactory(backend.factory) {
            Counter(label: "http.requests", dimensions: [("path", "/a"), ("code", "200")]).increment(by: 3)
            FloatingPointCounter(label: "fuel").increment(by: 1.25)
            Gauge(label: "queue-depth").record(7)
            Meter(label: "in.flight").increment(by: 2)
            Recorder(label: "body.bytes").record(5)
            Timer(label: "http.duration").recordMilliseconds(30)
        }
        let page = backend.page
        #expect(page.contains("# TYPE http_requests_total counter\nhttp_requests_total{code=\"200\",path=\"/a\"} 3\n"))
        #expect(page.contains("# HELP http_requests_total Recorded through swift-metrics as http.requests.\n"))
        #expect(page.contains("# TYPE fuel_total counter\nfuel_total 1.25\n"))
        #expect(page.contains("# TYPE queue_depth gauge\nqueue_depth 7\n"))
        #expect(page.contains("# TYPE in_flight gauge\nin_flight 2\n"))
        #expect(page.contains("# TYPE body_bytes histogram\nbody_bytes_bucket{le=\"1.0\"} 0\n"))
        #expect(page.contains("body_bytes_bucket{le=\"16.0\"} 1\n") && page.contains("body_bytes_sum 5\n"))
        #expect(page.contains("# TYPE http_duration_seconds histogram\n"))
        #expect(page.contains("http_duration_seconds_bucket{le=\"0.05\"} 1\n"))
        #expect(page.contains("http_duration_seconds_sum 0.03\nhttp_duration_seconds_count 1\n"))
        #expect(backend.snapshot.family("http_duration_seconds")?.definition.unit == "seconds")
        #expect(backend.log.isEmpty)
    }

    @Test(
        "Names become what Prometheus accepts",
        arguments: [
            ("a.b-c d", "a_b_c_d"), ("9lives", "_9lives"), ("", "_"), ("naïve", "na_ve"), ("a:b", "a_b"),
            ("x_total", "x_total"), ("👩‍👩‍👧", "_____"),
        ]
    )
    func names(label: String, name: String) {
        Meter(label: label, factory: backend.factory).set(1)
        #expect(backend.lines == ["\(name) 1"])
    }

    @Test("A suffix that is present is not appended again")
    func suffixes() {
        Counter(label: "x_total", factory: backend.factory).increment()
        Counter(label: "_total", factory: backend.factory).increment()
        Timer(label: "y.seconds", factory: backend.factory).recordSeconds(1)
        #expect(backend.snapshot.families.map(\.definition.name) == ["_total_total", "x_total", "y_seconds"])
    }

    @Test("The order of dimensions makes no difference, and a label with an empty value is absent")
    func order() {
        let dimensions = [("a", "1"), ("b", "2"), ("c", "3")]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            Counter(label: "c", dimensions: order.map { dimensions[$0] }, factory: backend.factory).increment()
        }
        Counter(label: "c", dimensions: [("b", "2"), ("d", ""), ("c", "3"), ("a", "1")], factory: backend.factory)
            .increment()
        #expect(backend.lines == [#"c_total{a="1",b="2",c="3"} 7"#])
    }

    @Test("Series of one metric may have different label names, or none")
    func differingNames() {
        Counter(label: "errors", factory: backend.factory).increment()
        Counter(label: "errors", dimensions: [("route", "/")], factory: backend.factory).increment()
        Counter(label: "errors", dimensions: [("status", "500"), ("route", "/")], factory: backend.factory).increment()
        #expect(
            backend.lines == [
                "errors_total 1", #"errors_total{route="/"} 1"#, #"errors_total{route="/",status="500"} 1"#,
            ]
        )
    }

    @Test("Dimensions that become one label are joined in the order of their names")
    func clashingDimensions() {
        let dimensions = [("a_b", "3"), ("a.b", "1"), ("le", "x"), ("__name__", "y"), ("a.b", "2"), ("0", "z")]
        for dimensions in [dimensions, dimensions.reversed()] {
            Counter(label: "c", dimensions: dimensions, factory: backend.factory).increment()
        }
        #expect(backend.lines == [#"c_total{_0="z",_name__="y",a_b="1;2;3",exported_le="x"} 2"#])
    }

    @Test("Help, bounds and exponential buckets can be chosen by label")
    func options() {
        let backend = Backend(
            SwiftMetricsOptions(
                help: ["t": "Tea\ntime."],
                timerBuckets: [1],
                buckets: ["u": [2]],
                exponential: ExponentialBucketing()
            )
        )
        Timer(label: "t", factory: backend.factory).recordNanoseconds(1_500_000_000)
        Timer(label: "u", factory: backend.factory).recordNanoseconds(1_500_000_000)
        #expect(backend.page.contains("# HELP t_seconds Tea\\ntime.\n"))
        #expect(backend.page.contains("t_seconds_bucket{le=\"1.0\"} 0\n"))
        #expect(backend.page.contains("u_seconds_bucket{le=\"2.0\"} 1\n"))
        #expect(backend.snapshot.series("t_seconds")?.exponential?.count == 1)
    }

    @Test(
        "promtool takes a page of hostile labels and dimensions",
        .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
    )
    func hostile() async throws {
        let texts = ["", "a", "x\"y\\z\nw", "é", "e\u{301}", "日本", "\0", "__x", "le", "\n# EOF\n", "x 1\ny", "}", "1"]
        for (index, label) in texts.enumerated() {
            let dimensions = texts.map { ($0, texts[(index + $0.utf8.count) % texts.count]) }
            withMetricsFactory(backend.factory) {
                Counter(label: "c" + label, dimensions: dimensions).increment()
                Meter(label: "m" + label, dimensions: dimensions).set(Double.nan)
                Timer(label: "t" + label, dimensions: dimensions).recordNanoseconds(1)
                Recorder(label: "r" + label, dimensions: dimensions).record(1)
            }
        }
        let page = backend.page
        let check = try await ExternalTool.promtool.run(["check", "metrics"], input: Data(page.utf8))
        #expect(check.status == 0, "\(check.output) \(check.errors)")
        let series = backend.lines.map { $0.prefix(upTo: $0.lastIndex(of: " ") ?? $0.endIndex) }
        #expect(series.count > 200 && Set(series.map { Array($0.utf8) }).count == series.count)
    }
}
