// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@Suite("Exemplars of an application", .timeLimit(.minutes(10)))
struct ExemplarTests {
    private static let families = ["axiom_client_action_duration_seconds", "axiom_context_action_duration_seconds"]

    /// A running application on a lean page, some of whose actions succeed and some fail.
    private static func started() async throws -> Telemetry {
        let telemetry = try Telemetry()
        let app = await SampleApp(observedBy: telemetry, clock: .live)
        try await app.orchestrator.start()
        try await app.runOnce()
        return telemetry
    }

    @Test(
        "A real Prometheus stores them, of classic and of native histograms, and each leads to its trace",
        .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation)),
        arguments: [false, true]
    )
    func prometheus(isNative: Bool) async throws {
        let telemetry = try await Self.started()
        let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let port = try #require(exporter.port)
        // Newer servers store all exemplars of native histograms only with both kinds: see ServerFeatureTests.
        let both = try await PrometheusVersion.installed() >= .lostExemplars && isNative
        let server = try await PrometheusServer(
            configuration: """
                global: {scrape_interval: 1s, scrape_timeout: 1s}
                scrape_configs:
                  - job_name: axiom
                    \(both ? "always_scrape_classic_histograms: true" : "")
                    static_configs: [{targets: ["127.0.0.1:\(port)"]}]
                """,
            features: ["exemplar-storage"] + (isNative ? ["native-histograms"] : [])
        )
        for family in Self.families {
            let query = isNative ? family : "\(family)_bucket"
            try await Loopback.wait(for: "exemplars of \(query)") { try await !server.exemplars(of: query).isEmpty }
            for exemplar in try await server.exemplars(of: query) {
                let id = try #require(exemplar.labels["trace_id"].flatMap(TraceID.init))
                let trace = try #require(telemetry.trace(id))
                let span = try #require(trace.spans.first { TraceID.hex($0.id) == exemplar.labels["span_id"] })
                #expect(Double(span.nanoseconds) / 1e9 == exemplar.value)
                #expect(span.kind == (family.hasPrefix("axiom_client") ? .clientAction : .contextAction))
            }
        }
        #expect(try await server.targets()["axiom"]?.health == "up")
        await exporter.stop()
    }

    /// A sample with an exemplar, as the reference parser reads it.
    private struct Sample: Decodable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    @Test(
        "The reference parser of OpenMetrics reads a page with them, and finds them only on buckets of durations",
        .enabled(
            if: ExternalTool.prometheusPython.mayRun,
            Comment(rawValue: ExternalTool.prometheusPython.installation)
        )
    )
    func openMetrics() async throws {
        let telemetry = try await Self.started()
        let page = ExpositionFormat.openMetrics.page(telemetry.registry.collect())
        let script = """
            import io, json, sys
            from prometheus_client.openmetrics.parser import text_fd_to_metric_families
            page = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\\n")
            print(json.dumps([
                {"name": s.name, "labels": s.exemplar.labels, "value": s.exemplar.value}
                for f in text_fd_to_metric_families(page) for s in f.samples if s.exemplar]))
            """
        let output = try await ExternalTool.prometheusPython.run(["-c", script], input: Data(page.utf8))
        try #require(output.status == 0, "\(output.errors)\n\(page)")
        let samples = try JSONDecoder().decode([Sample].self, from: Data(output.output.utf8))
        let names =
            Self.families + ["axiom_context_lifecycle_duration_seconds", "axiom_capability_call_duration_seconds"]
        #expect(Set(samples.map(\.name)) == Set(names.map { "\($0)_bucket" }))
        for sample in samples {
            let id = try #require(sample.labels["trace_id"].flatMap(TraceID.init))
            #expect(telemetry.trace(id) != nil)
        }
    }
}
#endif
