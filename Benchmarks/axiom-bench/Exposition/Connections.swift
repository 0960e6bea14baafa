// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomMetricsExporter

/// The exporter with the sample metrics, and a reader of it. Ends with the process.
final class Scraper: Sendable {
    let exporter: MetricsExporter
    let reader: PageReader

    init() throws {
        exporter = try MetricsExporter(
            registry: try SampleData.makeRegistry(),
            configuration: HTTPServerConfiguration(port: 0)
        )
        try exporter.start()
        reader = try PageReader(port: exporter.port ?? 0, path: "/metrics", headers: "")
    }
}

/// The text page, made already, over the same server: what of a scrape is HTTP, the kernel and the reader.
final class PageServer: Sendable {
    let server: HTTPServer
    let reader: PageReader

    /// - Parameter isImmediate: Whether the route answers on the network thread, or on a task.
    init(isImmediate: Bool = false) throws {
        let body = HTTPBody(try SamplePage.text.press().page)
        let route: HTTPRoute =
            isImmediate
            ? .immediate("/") { _ in HTTPResponse(body: body) } : .get("/") { _ in HTTPResponse(body: body) }
        server = try HTTPServer(configuration: HTTPServerConfiguration(port: 0), routes: [route]) { _ in }
        try server.start()
        reader = try PageReader(port: server.port ?? 0, path: "/", headers: "")
    }
}

/// The same bytes through a bare loopback socket: what of a scrape is the kernel and the reader.
final class BareConnection: Sendable {
    let floor: LoopbackFloor
    let reader: PageReader

    init() throws {
        floor = try LoopbackFloor(body: try SamplePage.text.press().page)
        reader = try PageReader(port: floor.port, path: "/", headers: "")
    }
}
