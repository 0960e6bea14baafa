// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "A real Prometheus",
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct PrometheusTests {
    /// Serves one registry: each format at its own path, without content negotiation.
    private static func makeServer(_ registry: Registry) throws -> HTTPServer {
        let routes = ExpositionFormat.all.map { format in
            HTTPRoute.immediate("/\(format.kind)") { _ in
                var buffer = ExpositionBuffer()
                format.encode(registry.collect(), into: &buffer)
                return HTTPResponse(headers: ["Content-Type": format.contentType], body: buffer.bytes)
            }
        }
        return try HTTPServer(
            configuration: HTTPServerConfiguration(port: 0),
            routes: routes,
            onFailure: { Issue.record("\($0.path) failed: \($0.error)") }
        )
    }

    private static func makeRegistry() throws -> Registry {
        let registry = Registry()
        let visits = try registry.counters("shop_visits_total", help: "V \\ \"x\"\nv.", labels: Label<String>("a"))
        for value in ["", "\"", "\\", "\n", "\0", "👩‍👩‍👧‍👦", "שלום", "\r\n"] { visits(value).increment(by: (1 << 53) + 1) }
        // Prometheus 2.42 leaves escapes in an exemplar's OpenMetrics labels as they are, so that none is used here.
        visits("traced").increment(by: 3, exemplar: ["trace_id": "c0ffee שלום"])
        let gauges = try registry.gauges("odd", help: "O.", labels: Label<Int>("n"))
        let odd: [Double] = [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-5]
        for (number, value) in odd.enumerated() { gauges(number).set(value) }
        let sizes = try registry.histogram("sizes_bytes", help: "S.", buckets: [1, 1e6], options: .unit("bytes"))
        sizes.observe(5, exemplar: ["trace_id": "beef"])
        try registry.histogram("drift", help: "D.", buckets: [-1, 1]).observe(.nan)
        try registry.info("build_info", help: "B.", ["version": "1"])
        _ = try registry.exponentialHistogram("idle", help: "I.")
        let hostile = try registry.exponentialHistogram("hostile", help: "H.", buckets: [0, 1])
        for value in odd + odd.map(-) { hostile.observe(value) }
        return registry
    }

    @Test("takes hostile pages in every format, and exemplars come back", .timeLimit(.minutes(10)))
    func formats() async throws {
        let registry = try Self.makeRegistry()
        let server = try Self.makeServer(registry)
        try server.start()
        let prometheus = try await PrometheusServer(
            port: try #require(server.port),
            paths: ["text": "/text", "openmetrics": "/openmetrics", "protobuf": "/protobuf"]
        )
        try await Loopback.wait(for: "all scrapes") {
            let targets = try await prometheus.targets()
            return targets.count == 3 && targets.values.allSatisfy { $0.health != "unknown" }
        }
        for (job, target) in try await prometheus.targets() {
            #expect(target.health == "up", "\(job): \(target.error)")
            // A target is up a moment before its samples can be queried.
            #expect(try await value(of: "count(shop_visits_total{job=\"\(job)\"})", prometheus) == 9, "\(job)")
            #expect(try await value(of: "sizes_bytes_bucket{job=\"\(job)\",le=\"+Inf\"}", prometheus) == 1)
        }
        for job in ["openmetrics", "protobuf"] {
            let traced = try await prometheus.exemplars(of: "shop_visits_total{job=\"\(job)\"}")
            #expect(traced.map(\.labels) == [["trace_id": "c0ffee שלום"]], "\(job)")
            #expect(traced.map(\.value) == [3], "\(job)")
            let sized = try await prometheus.exemplars(of: "sizes_bytes_bucket{job=\"\(job)\"}")
            #expect(sized.map(\.labels) == [["trace_id": "beef"]], "\(job)")
            #expect(sized.map(\.value) == [5], "\(job)")
        }
        await server.stop()
    }

    /// What a query answers as soon as it has an answer: a scrape that was missed leaves it without one until the next.
    private func value(of query: String, _ prometheus: PrometheusServer) async throws -> Double {
        var found: Double?
        try await Loopback.wait(for: query) {
            found = try await prometheus.value(of: query)
            return found != nil
        }
        return try #require(found)
    }

    @Test(
        "scrapes the exporter by protocol buffers, and a native histogram's quantiles lie within one bucket of the truth",
        .timeLimit(.minutes(10))
    )
    func nativeHistogram() async throws {
        let registry = Registry()
        let wait = try registry.exponentialHistogram("wait_seconds", help: "W.")
        var generator = SeededGenerator(seed: 5)
        var values = (0..<20_000).map { _ in exp(Double.random(in: -3...3, using: &generator)) }
        for value in values { wait.observe(value) }
        values.sort()
        let exporter = try MetricsExporter(registry: registry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let prometheus = try await PrometheusServer(
            port: try #require(exporter.port),
            paths: ["exporter": "/metrics"]
        )
        try await Loopback.wait(for: "the native histogram") {
            try await prometheus.value(of: "histogram_count(wait_seconds)") == 20_000
        }
        let data = try #require(registry.collect().series("wait_seconds")?.exponential)
        let growth = exp2(exp2(-Double(data.schema)))
        for quantile in [0.01, 0.25, 0.5, 0.9, 0.99, 0.999] {
            let query = "histogram_quantile(\(quantile), wait_seconds)"
            let found = try await value(of: query, prometheus)
            let truth = values[Int((quantile * Double(values.count)).rounded(.up)) - 1]
            #expect(found / truth < growth && truth / found < growth, "\(quantile): \(found), in truth \(truth)")
        }
        let sum = try await value(of: "histogram_sum(wait_seconds)", prometheus)
        #expect(abs(sum - values.reduce(0, +)) < 1e-6)
        #expect(
            registry.collect().value("axiom_exporter_scrapes_total", ["format": "protobuf", "code": "200"]) ?? 0 > 0
        )
        #expect(try await prometheus.targets()["exporter"]?.health == "up")
        await exporter.stop()
    }
}

extension PrometheusServer {
    /// A server that scrapes paths of one target every second, with native histograms and exemplars.
    ///
    /// - Parameter paths: The path of each job, by the name of the job.
    fileprivate convenience init(port: Int, paths: KeyValuePairs<String, String>) async throws {
        let jobs = paths.map {
            """
              - job_name: \($0.key)
                metrics_path: \($0.value)
                static_configs: [{targets: ["127.0.0.1:\(port)"]}]
            """
        }
        let text = "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
        try await self.init(
            configuration: text + jobs.joined(separator: "\n") + "\n",
            features: ["native-histograms", "exemplar-storage"]
        )
    }
}
