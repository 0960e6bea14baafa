// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomExporter
@testable import AxiomMetricsExporter

@Suite("The small exporter", .timeLimit(.minutes(10)))
struct MetricsExporterTests {
    private struct Broken: Error {}

    @Test("It serves metrics and health, and nothing else")
    func serves() async throws {
        let registry = Registry()
        try registry.counter("shop_visits_total", help: "Visits.").increment()
        let exporter = try MetricsExporter(
            registry: registry,
            configuration: HTTPServerConfiguration(port: 0),
            readiness: { .notReady("warming up") }
        )
        try exporter.start()
        let port = try #require(exporter.port)
        let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
        #expect(page.status == 200)
        #expect(page.text.contains("shop_visits_total 1\n"))
        #expect(try await HTTPExchange.perform("GET", "/healthz", port: port).status == 200)
        #expect(try await HTTPExchange.perform("GET", "/readyz", port: port).text == "not ready: warming up\n")
        #expect(try await HTTPExchange.perform("GET", "/", port: port).status == 404)
        await exporter.stop()
        #expect(exporter.port == nil)
    }

    @Test("A second exporter at one port gets the error that this process uses the port")
    func portInUse() async throws {
        let first = try MetricsExporter(registry: Registry(), configuration: HTTPServerConfiguration(port: 0))
        try first.start()
        let port = try #require(first.port)
        let second = try MetricsExporter(registry: Registry(), configuration: HTTPServerConfiguration(port: port))
        let error = #expect(throws: HTTPServerError.self) { try second.start() }
        #expect(error?.code == .addressInUse)
        #expect(error?.message.contains("127.0.0.1:\(port) is already in use, by this process;") == true)
        await first.stop()
    }

    @Test("A collector that throws is reported for each scrape; the default report is bounded by the minute")
    func failures() async throws {
        let registry = Registry()
        try registry.gaugeCallback("my_queue_depth", help: "Depth.") { throw Broken() }
        let reports = Journal<String>()
        let exporter = try MetricsExporter(
            registry: registry,
            configuration: HTTPServerConfiguration(port: 0),
            onFailure: { reports.write($0) }
        )
        try exporter.start()
        _ = try await HTTPExchange.perform("GET", "/metrics", port: try #require(exporter.port))
        await exporter.stop()
        #expect(reports.entries.count == 1)
        #expect(reports.entries.first?.contains("my_queue_depth") == true)

        let written = Journal<String>()
        let log = FailureLog { written.write($0) }
        for number in 0..<100 { log.add("message \(number)") }
        #expect(written.entries == (0..<10).map { "message \($0)" })
        var minute = FailureLog.Minute()
        let start = Instant(nanoseconds: 0)
        for _ in 0..<25 { _ = minute.lines(for: "x", at: start) }
        #expect(minute.lines(for: "x", at: start.advanced(by: .seconds(59))).isEmpty)
        let next = minute.lines(for: "y", at: start.advanced(by: .seconds(60)))
        #expect(next == ["16 more messages were not written in the minute before", "y"])
        #expect(minute.lines(for: "z", at: start.advanced(by: .seconds(60))) == ["z"])
    }

    @Test("Refused client certificates neither fill a log nor displace other messages")
    func refusedCertificates() throws {
        let written = Journal<String>()
        let log = FailureLog { written.write($0) }
        let security = try SecurityMetrics(Registry(), hasCertificate: true) { log.add($0) }
        for number in 0..<100 { security.record(.clientCertificateRefused("client \(number)")) }
        security.record(.reloadFailed("the key does not fit"))
        let clients = (0..<SecurityMetrics.refusalLines).map { "client \($0)" }
        #expect(written.entries == clients + ["the key does not fit"])
    }
}
