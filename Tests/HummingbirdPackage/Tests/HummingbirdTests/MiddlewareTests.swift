// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomSwiftMetrics
import AxiomTestSupport
import AxiomTracing
import Hummingbird
import InMemoryTracing
import Metrics
import Testing
import Tracing

@testable import StockServer

@Suite("Hummingbird's middleware", .timeLimit(.minutes(10)))
struct MiddlewareTests {
    private func router(_ registry: Registry) -> Router<BasicRequestContext> {
        let router = Router()
        router.middlewares.add(MetricsMiddleware())
        router.get("/users/:id") { _, context in try context.parameters.require("id") }
        router.get("/teapot") { _, _ -> String in throw HTTPError(.init(code: 418)) }
        router.get("/metrics") { _, _ in registry.collect().text }
        return router
    }

    @Test("What MetricsMiddleware records is on the page that the service itself serves")
    func page() async throws {
        let registry = Registry()
        try await withMetricsFactory(AxiomMetricsFactory(registry: registry)) {
            try await LiveServer.serving(router(registry)) { server in
                for id in 1...3 { #expect(try await server.send("/users/\(id)").status == 200) }
                #expect(try await server.send("/teapot").status == 418)
                #expect(try await server.send("/nowhere").status == 404)
                Self.check(try await server.send("/metrics").text)
            }
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

    @Test("Servers at the same time in one process have pages of their own, and one of them maps its metrics")
    func factories() async throws {
        let (own, mapped) = (Registry(), Registry())
        let mapping = AxiomMetricsFactory(registry: mapped).withLabelAndDimensionsMapping { label, dimensions in
            ("shop.\(label)", dimensions + [("zone", "eu")])
        }
        try await withMetricsFactory(AxiomMetricsFactory(registry: own)) {
            try await LiveServer.serving(router(own)) { first in
                try await withMetricsFactory(mapping) {
                    try await LiveServer.serving(router(mapped)) { second in
                        for id in 1...2 {
                            let answer = try await second.send("/users/\(id)")
                            #expect(answer.status == 200)
                        }
                    }
                }
                #expect(try await first.send("/users/1").status == 200)
            }
        }
        let route = #"http_request_method="GET",http_response_status_code="200",http_route="/users/{id}""#
        #expect(own.collect().text.contains("\nhb_requests_total{\(route)} 1\n"))
        #expect(mapped.collect().text.contains("\nshop_hb_requests_total{\(route),zone=\"eu\"} 2\n"))
    }

    @Test("The span of TracingMiddleware is the parent of the request, and the tracer gets the spans below it")
    func tracing() async throws {
        let tracer = InMemoryTracer()
        // Once in a process, and by this test only.
        InstrumentationSystem.bootstrap(tracer)
        let telemetry = try Telemetry()
        try telemetry.exportSpans()
        let orchestrator = await Orchestrator(instrumentation: telemetry)
        await orchestrator.register(StockClient.self) { StockClient($0) }
        let stock = await orchestrator.register(StockHandler.self) { try StockHandler($0) }
        try await orchestrator.start()
        let router = Router()
        router.middlewares.add(TracingMiddleware())
        router.serve(stock)
        try await LiveServer.serving(router) { server in
            let answer = try await server.send("/stock/tea/take", method: "POST")
            #expect(answer.status == 200)
        }
        await orchestrator.shutdown()
        await eventually { tracer.finishedSpans.contains { $0.operationName == "/stock/{item}/take" } }
        let spans = Dictionary(tracer.finishedSpans.map { ($0.operationName, $0) }) { first, _ in first }
        let path = ["/stock/{item}/take", "StockHandler.take", "StockClient.take"].compactMap { spans[$0] }
        #expect(path.map(\.kind) == [.server, .internal, .internal])
        #expect(path.dropFirst().map(\.parentSpanID) == path.dropLast().map(\.spanID))
        #expect(Set(path.map(\.traceID)).count == 1)
    }
}
