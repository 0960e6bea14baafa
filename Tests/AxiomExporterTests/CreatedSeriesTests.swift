// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@Suite("Creation times of series")
struct CreatedSeriesTests {
    /// Prints the `_created` samples as a JSON object, and fails on a page that is not OpenMetrics.
    private static let script = """
        import io, json, sys
        from prometheus_client.openmetrics.parser import text_fd_to_metric_families
        page = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\\n")
        print(json.dumps({s.name: s.value for f in text_fd_to_metric_families(page)
                          for s in f.samples if s.name.startswith("shop_") and s.name.endswith("_created")}))
        """

    private static func page(_ format: String, port: Int) async throws -> HTTPExchange.Response {
        try await HTTPExchange.perform("GET", "/metrics", port: port, headers: ["Accept": format])
    }

    private static func serving(createdSeries: Bool?, _ body: (Int) async throws -> Void) async throws {
        let registry = Registry()
        try registry.counter("shop_visits_total", help: "Visits.").increment()
        try registry.histogram("shop_wait_seconds", help: "Waiting.", buckets: [1]).observe(2)
        try registry.gauge("shop_open", help: "Open.").set(1)
        let configuration = HTTPServerConfiguration(port: 0)
        let exporter =
            try createdSeries.map {
                try MetricsExporter(registry: registry, configuration: configuration, createdSeries: $0)
            } ?? MetricsExporter(registry: registry, configuration: configuration)
        try exporter.start()
        do { try await body(try #require(exporter.port)) } catch { Issue.record(error) }
        await exporter.stop()
    }

    @Test(
        "The reference reader finds the times of counters and histograms where the option is on, and only there",
        .enabled(if: ExternalTool.prometheusPython.mayRun, "\(ExternalTool.prometheusPython.installation)"),
        arguments: [true, false, nil]
    )
    func openMetrics(_ createdSeries: Bool?) async throws {
        let before = Date.now.timeIntervalSince1970
        try await Self.serving(createdSeries: createdSeries) { port in
            let page = try await Self.page("application/openmetrics-text;version=1.0.0", port: port)
            #expect(page["Content-Type"]?.hasPrefix("application/openmetrics-text") == true)
            let output = try await ExternalTool.prometheusPython.run(["-c", Self.script], input: page.body)
            try #require(output.status == 0, "\(output.errors)")
            let times = try JSONDecoder().decode([String: Double].self, from: Data(output.output.utf8))
            #expect(
                Set(times.keys) == (createdSeries == true ? ["shop_visits_created", "shop_wait_seconds_created"] : [])
            )
            #expect(times.values.allSatisfy { (before - 1...before + 60).contains($0) })
        }
    }

    @Test(
        "Whatever the option says, text shows no times, and OpenMetrics 2.0 and protocol buffers always do",
        arguments: [true, false]
    )
    func otherFormats(_ createdSeries: Bool) async throws {
        try await Self.serving(createdSeries: createdSeries) { port in
            #expect(try await !Self.page("text/plain", port: port).text.contains("_created"))
            let lines = try await Self.page("application/openmetrics-text;version=2.0.0", port: port).text
            #expect(lines.contains("shop_visits_total 1 st@") && !lines.contains("_created"))
            let page = try await HTTPExchange.perform(
                "GET",
                "/metrics?debug=protobuf&name[]=shop_visits_total",
                port: port
            )
            #expect(page.text.contains("start_timestamp {"))
        }
    }
}
