// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomSwiftMetrics
import Hummingbird
import Metrics
import Testing

@Suite("Hummingbird's metrics on the page", .serialized)
struct MiddlewareTests {
    /// swift-metrics can be bootstrapped once in a process.
    private static let registry: Registry = {
        let registry = Registry()
        MetricsSystem.bootstrap(AxiomMetricsFactory(registry: registry))
        return registry
    }()

    @Test("What MetricsMiddleware records is on the page that the service itself serves")
    func page() async throws {
        let registry = Self.registry
        let router = Router()
        router.middlewares.add(MetricsMiddleware())
        router.get("/users/:id") { _, context in try context.parameters.require("id") }
        router.get("/teapot") { _, _ -> String in throw HTTPError(.init(code: 418)) }
        router.get("/metrics") { _, _ in registry.collect().text }
        try await LiveServer.serving(router) { server in
            for id in 1...3 { #expect(try await server.send("/users/\(id)").status == 200) }
            #expect(try await server.send("/teapot").status == 418)
            #expect(try await server.send("/nowhere").status == 404)
            Self.check(try await server.send("/metrics").text)
        }
    }

    private static func check(_ page: String) {
        let lines = Set(page.split(separator: "\n").map(String.init))
        let user = #"http_request_method="GET",http_response_status_code="200",http_route="/users/{id}""#
        let expected = [
            "# TYPE hb_requests_total counter",
            "hb_requests_total{\(user)} 3",
            #"hb_requests_total{http_request_method="GET",http_response_status_code="418",http_route="/teapot"} 1"#,
            #"hb_requests_total{http_request_method="GET",http_response_status_code="404",http_route="NotFound"} 1"#,
            "# TYPE hb_request_errors_total counter",
            #"hb_request_errors_total{error_type="418",http_request_method="GET",http_route="/teapot"} 1"#,
            #"hb_request_errors_total{error_type="404",http_request_method="GET",http_route="NotFound"} 1"#,
            "# TYPE http_server_request_duration_seconds histogram",
            "http_server_request_duration_seconds_count{\(user)} 3",
            "http_server_request_duration_seconds_bucket{\(user),le=\"+Inf\"} 3",
            // The scrape itself is the one that is active.
            "# TYPE http_server_active_requests gauge",
            #"http_server_active_requests{http_request_method="GET"} 1"#,
        ]
        for line in expected { #expect(lines.contains(line), "\(line) is not on the page:\n\(page)") }
    }
}
