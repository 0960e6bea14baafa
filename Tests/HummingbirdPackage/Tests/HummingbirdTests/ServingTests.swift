// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Foundation
import Hummingbird
import Testing

extension Router {
    /// Serves the metrics of a registry at `/metrics`, in the format that the reader asks for.
    func serveMetrics(of registry: Registry) {
        get("/metrics") { request, _ in
            let page = registry.page(accept: request.headers[.accept])
            return Response(
                status: .ok,
                headers: [.contentType: page.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.bytes))
            )
        }
    }
}

@Suite("A route of one's own")
struct ServingTests {
    @Test("The route serves the format that the reader asks for")
    func formats() async throws {
        let registry = Registry()
        try registry.counter("shop_visits_total", help: "Visits.").increment()
        let router = Router()
        router.serveMetrics(of: registry)
        try await LiveServer.serving(router) { server in
            let plain = try await server.send("/metrics")
            #expect(plain.type.hasPrefix("text/plain; version=0.0.4"))
            #expect(plain.text.contains("shop_visits_total 1\n"))
            let open = try await server.send(
                "/metrics",
                ["Accept": "application/openmetrics-text; version=1.0.0"]
            )
            #expect(open.type.hasPrefix("application/openmetrics-text"))
            #expect(open.text.hasSuffix("# EOF\n"))
        }
    }

    @Test("The documentation shows the code that runs here")
    func documented() throws {
        let tests = URL(filePath: #filePath)
        let page = tests.appending(path: "../../../../../Documentation/serving-metrics.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let source = try String(contentsOf: tests, encoding: .utf8)
        let declarations = source.components(separatedBy: "\n\n").filter { $0.hasPrefix("extension Router") }
        #expect(declarations.count == 1)
        for declaration in declarations { #expect(text.contains(declaration)) }
    }
}
