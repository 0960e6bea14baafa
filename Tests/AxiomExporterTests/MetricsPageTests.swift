// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Testing

@Suite("The page of metrics")
struct MetricsPageTests {
    @Test(
        "promtool finds nothing to complain about on the page of an application",
        .enabled(if: ExternalTool.promtool.mayRun, "\(ExternalTool.promtool.installation)")
    )
    func promtool() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        try await MetricsExporter.serving(app.registry) { port in
            _ = try await HTTPExchange.perform("GET", "/metrics", port: port)
            let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
            let output = try await ExternalTool.promtool.run(["check", "metrics"], input: page.body)
            #expect(output.status == 0)
            #expect(output.output + output.errors == "")
        }
    }

    /// The families of the design and the labels of their samples. What is recorded only in an instrumented build is
    /// marked.
    static let promises: [(name: String, type: String, labels: Set<String>, isRecorded: Bool)] = [
        ("axiom_build_info", "gauge", ["version", "swift", "revision", "instrumented"], false),
        ("axiom_component_info", "gauge", ["kind", "component"], true),
        ("axiom_component_dependency", "gauge", ["from", "to"], true),
        ("axiom_component_created", "counter", ["kind", "component"], true),
        ("axiom_component_destroyed", "counter", ["kind", "component"], true),
        ("axiom_component_live", "gauge", ["kind", "component"], true),
        ("axiom_component_lifetime_seconds", "histogram", ["kind", "component"], true),
        ("axiom_component_leak_suspects", "gauge", ["kind", "component"], true),
        ("axiom_client_actions", "counter", ["client", "action", "outcome"], true),
        ("axiom_client_action_duration_seconds", "histogram", ["client", "action"], true),
        ("axiom_client_actions_in_flight", "gauge", ["client"], true),
        ("axiom_deadlocks", "counter", ["component"], true),
        ("axiom_shutdown_overdue", "counter", ["component"], true),
        ("axiom_context_actions", "counter", ["context", "action", "outcome"], true),
        ("axiom_context_action_duration_seconds", "histogram", ["context", "action"], true),
        ("axiom_context_lifecycle_duration_seconds", "histogram", ["context", "phase"], true),
        ("axiom_state_updates", "counter", ["client"], true),
        ("axiom_state_coalesced", "counter", ["client"], true),
        ("axiom_state_propagation_seconds", "histogram", ["client"], true),
        ("axiom_errors", "counter", ["component", "code", "severity"], true),
        ("axiom_telemetry_dropped", "counter", ["reason"], false),
        ("axiom_exporter_scrapes", "counter", ["format", "code"], false),
        ("axiom_exporter_scrape_duration_seconds", "histogram", [], false),
        ("axiom_exporter_scrape_bytes", "histogram", [], false),
        ("process_cpu_seconds", "counter", [], false),
        ("process_resident_memory_bytes", "gauge", [], false),
        ("process_start_time_seconds", "gauge", [], false),
    ]

    @Test(
        "Prometheus' own reader finds every promised family with its type and its labels, and no series twice",
        .enabled(if: ExternalTool.prometheusPython.mayRun, "\(ExternalTool.prometheusPython.installation)")
    )
    func contract() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        try await MetricsExporter.serving(app.registry) { port in
            let page = try await PrometheusText.read(HTTPExchange.perform("GET", "/metrics", port: port).text)
            let families = Dictionary(grouping: page.families, by: \.name)
            for promise in Self.promises where Self.isRecording || !promise.isRecorded {
                let found = families[promise.name, default: []]
                #expect(found.count == 1, "\(promise.name)")
                #expect(found.first?.type == promise.type, "\(promise.name)")
                for sample in found.first?.samples ?? [] {
                    #expect(Set(sample.labels.keys).subtracting(["le"]) == promise.labels, "\(sample.name)")
                }
            }
            let series = page.families.flatMap(\.samples).map { "\($0.name) \($0.labels.sorted { $0.key < $1.key })" }
            #expect(series.count == Set(series).count)
        }
    }

    private static var isRecording: Bool {
        #if Instrumented
        true
        #else
        false
        #endif
    }

    @Test("The content type is exactly that of text 0.0.4")
    func contentType() async throws {
        try await Exporter.serving { port in
            let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
            #expect(page.status == 200)
            #expect(page["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(page["X-Content-Type-Options"] == "nosniff")
            #expect(page["Content-Length"] == String(page.body.count))
        }
    }

    @Test("The dashboard reads the cost of pages from the registry, and none without an exporter")
    func scrapeCost() async throws {
        let registry = Registry()
        #expect(ScrapeCost.read(registry) == nil)
        try await MetricsExporter.serving(registry) { port in
            let none = try #require(ScrapeCost.read(registry))
            #expect(none.pages == 0 && none.meanSeconds == nil && none.meanBytes == nil)
            let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
            let reading = try #require(ScrapeCost.read(registry))
            #expect(reading.pages == 1 && reading.meanBytes == Double(page.body.count))
            #expect(try #require(reading.meanSeconds) > 0)
        }
    }

    @Test("The cost of each page is on the next page, exactly")
    func selfMetrics() async throws {
        let registry = Registry()
        try await MetricsExporter.serving(registry) { port in
            var bytes = 0
            for scrape in 0..<3 {
                #expect(
                    registry.collect().value("axiom_exporter_scrapes_total", ["format": "text", "code": "200"])
                        == Double(scrape)
                )
                bytes += try await HTTPExchange.perform("GET", "/metrics", port: port).body.count
                let metrics = registry.collect()
                #expect(metrics.value("axiom_exporter_scrape_duration_seconds") == Double(scrape + 1))
                #expect(metrics.series("axiom_exporter_scrape_bytes")?.histogram?.sum == Double(bytes))
            }
            // What is not the page of metrics is no scrape.
            for path in ["/", "/healthz", "/readyz", "/nowhere"] {
                _ = try await HTTPExchange.perform("GET", path, port: port)
            }
            #expect(registry.collect().value("axiom_exporter_scrapes_total", ["format": "text", "code": "200"]) == 3)
        }
    }

    @Test("A collector's failure is reported, and the rest of the page is served")
    func problems() async throws {
        struct Broken: Collector {
            struct Gone: Error {}
            func collect() throws -> [CollectedFamily] { throw Gone() }
        }
        let registry = Registry()
        try registry.counter("shop_visits_total", help: "Visits.").increment()
        registry.register(Broken())
        let reports = Journal<String>()
        try await MetricsExporter.serving(registry, reports: reports) { port in
            let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
            #expect(page.status == 200)
            #expect(page.text.contains("shop_visits_total 1\n"))
            #expect(reports.entries.count == 1)
            #expect(reports.entries.first?.contains("The collector Broken failed") == true)
        }
    }

    @Test("Concurrent scrapes each get a complete page while the application records")
    func concurrentScrapes() async throws {
        let app = try await SampleApp.started()
        let reports = Journal<String>()
        try await MetricsExporter.serving(app.registry, reports: reports) { port in
            let work = Task { for _ in 0..<40 { try await app.runOnce() } }
            let pages = try await withThrowingTaskGroup(of: HTTPExchange.Response.self) { group in
                for _ in 0..<40 { group.addTask { try await HTTPExchange.perform("GET", "/metrics", port: port) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await work.value
            for page in pages {
                #expect(page.status == 200)
                #expect(page["Content-Length"] == String(page.body.count))
                #expect(page.text.hasSuffix("\n"))
                // Families are in the order of their names; the first and the last are on the page.
                #expect(
                    page.text.contains("axiom_build_info{") && page.text.contains("\nprocess_virtual_memory_bytes ")
                )
                let names = page.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                #expect(names.count == Set(names).count)
            }
            #expect(reports.entries.isEmpty)
        }
    }
}
