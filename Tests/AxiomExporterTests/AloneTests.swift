// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Testing

@Suite("The dashboard of a service without components", .timeLimit(.minutes(10)))
struct AloneTests {
    @Test("Three lines serve the page, the metrics of the process and those of the service")
    func alone() async throws {
        let registry = Registry()
        let telemetry = try Telemetry(registry: registry)
        let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
        try registry.counter("shop_visits_total", help: "Visits.").increment(by: 3)
        try await exporter.serving { port in
            let page = try await HTTPExchange.perform("GET", "/", port: port)
            #expect(page.status == 200 && page["Content-Type"]?.hasPrefix("text/html") == true)
            let metrics = try await HTTPExchange.perform("GET", "/metrics", port: port)
            #expect(metrics.text.contains("\nshop_visits_total 3\n"))
            #expect(metrics.text.contains("\nprocess_cpu_seconds_total "))
            let snapshot = try await HTTPExchange.perform("GET", "/api/snapshot", port: port)
            #expect(snapshot.status == 200 && snapshot.text.contains("Resident memory"))
        }
    }
}
