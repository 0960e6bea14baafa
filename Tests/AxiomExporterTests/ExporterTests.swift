// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("The exporter")
struct ExporterTests {
    @Test(
        "HEAD has the headers of GET and no body",
        arguments: ["/metrics", "/", "/healthz", "/readyz", "/api/snapshot", "/api/activity", "/export.html"]
    )
    func head(_ path: String) async throws {
        try await Exporter.serving { port in
            let get = try await HTTPExchange.perform("GET", path, port: port)
            let head = try await HTTPExchange.perform("HEAD", path, port: port)
            #expect(get.status == 200 && head.status == 200)
            #expect(head.body.isEmpty && !get.body.isEmpty)
            #expect(head["Content-Type"] == get["Content-Type"])
            #expect(head["Content-Length"].flatMap { Int($0) } != nil)
        }
    }

    @Test("An unknown path is 404, another method is 405 with the allowed methods")
    func refusals() async throws {
        try await Exporter.serving { port in
            #expect(try await HTTPExchange.perform("GET", "/metricsx", port: port).status == 404)
            #expect(try await HTTPExchange.perform("GET", "/metrics/", port: port).status == 404)
            for method in ["POST", "PUT", "DELETE"] {
                let response = try await HTTPExchange.perform(method, "/metrics", port: port)
                #expect(response.status == 405)
                #expect(response["Allow"] == "GET, HEAD")
            }
        }
    }

    @Test(
        "A page that a foreign name was made to point here for cannot read anything",
        arguments: ["/metrics", "/", "/api/snapshot"]
    )
    func hosts(_ path: String) async throws {
        try await Exporter.serving { port in
            for host in ["evil.example", "evil.example:\(port)", "127.0.0.1.evil.example"] {
                let response = try await HTTPExchange.perform("GET", path, port: port, host: host)
                #expect(response.status == 403)
                #expect(!response.text.contains("axiom_exporter"))
            }
            for host in ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] {
                #expect(try await HTTPExchange.perform("GET", path, port: port, host: host).status == 200)
            }
        }
    }

    @Test("An address that other machines reach requires allowedHosts, and the error names the option")
    func allowedHosts() throws {
        let exporter = try Exporter(
            telemetry: Telemetry(),
            configuration: HTTPServerConfiguration(host: "0.0.0.0", port: 0)
        )
        let error = #expect(throws: HTTPServerError.self) { try exporter.start() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("allowedHosts") == true)
        #expect(exporter.port == nil)
    }

    @Test("Readiness is the application's; health is the exporter's own")
    func readiness() async throws {
        let isReady = Flag()
        let readiness: @Sendable () -> Exporter.Readiness = {
            isReady.value ? .ready : .notReady("the cache is warming up")
        }
        try await Exporter.serving(readiness: readiness) { port in
            var response = try await HTTPExchange.perform("GET", "/readyz", port: port)
            #expect(response.status == 503)
            #expect(response.text == "not ready: the cache is warming up\n")
            #expect(try await HTTPExchange.perform("GET", "/healthz", port: port).text == "ok\n")
            isReady.raise()
            response = try await HTTPExchange.perform("GET", "/readyz", port: port)
            #expect(response.status == 200)
            #expect(response.text == "ready\n")
        }
    }

    @Test("Without JavaScript the page shows what was measured, as text")
    func tables() async throws {
        struct Broken: Error {}
        let telemetry = try Telemetry()
        let component = ComponentDescriptor(kind: .client, name: "<b>f00</b>")
        telemetry.registered(component, module: "")
        telemetry.ended(EndedError(Broken(), origin: component, boundary: component))
        let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let port = try #require(exporter.port)
        let page = try await HTTPExchange.perform("GET", "/", port: port)
        await exporter.stop()
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("&lt;b&gt;f00&lt;/b&gt;"))
        #expect(!page.text.contains("<b>f00"))
    }

    @Test("A port that is in use is an error, and the chosen port is reported")
    func ports() async throws {
        try await Exporter.serving { port in
            #expect(port > 0)
            let second = try Exporter(telemetry: Telemetry(), configuration: HTTPServerConfiguration(port: port))
            let error = #expect(throws: HTTPServerError.self) { try second.start() }
            #expect(error?.code == .addressInUse)
            #expect(error?.message.contains("\(port)") == true)
        }
    }

    @Test("Two exporters may serve one registry, and their pages are counted together")
    func twoExporters() async throws {
        let registry = Registry()
        try await MetricsExporter.serving(registry) { first in
            try await MetricsExporter.serving(registry) { second in
                _ = try await HTTPExchange.perform("GET", "/metrics", port: first)
                _ = try await HTTPExchange.perform("GET", "/metrics", port: second)
                #expect(registry.collect().total("axiom_exporter_scrapes_total") == 2)
            }
        }
    }

    @Test("Two exporters with a registry each serve their own metrics, and count their own scrapes")
    func twoRegistries() async throws {
        let registries = [Registry(), Registry()]
        for (number, registry) in registries.enumerated() {
            try registry.counter("own_total", help: "O.").increment(by: UInt64(number + 1))
        }
        try await MetricsExporter.serving(registries[0]) { first in
            try await MetricsExporter.serving(registries[1]) { second in
                for (number, port) in [first, second].enumerated() {
                    let page = try await HTTPExchange.perform("GET", "/metrics", port: port)
                    #expect(page.text.contains("own_total \(number + 1)"))
                }
            }
        }
        for registry in registries { #expect(registry.collect().total("axiom_exporter_scrapes_total") == 1) }
    }

    @Test("A registry with the application's own metric of the exporter's name is refused")
    func clash() throws {
        let registry = Registry()
        _ = try registry.gauge("axiom_exporter_scrape_bytes", help: "The application's own.")
        let error = #expect(throws: MetricsError.self) { try MetricsExporter(registry: registry) }
        #expect(error?.family == "axiom_exporter_scrape_bytes")
    }
}

@Suite("The lifecycle of the exporter")
struct ExporterLifeTests {
    private func makeExporter() throws -> Exporter {
        try Exporter(telemetry: Telemetry(), configuration: HTTPServerConfiguration(port: 0))
    }

    @Test("It starts once and does not start again after a stop")
    func starts() async throws {
        let exporter = try makeExporter()
        #expect(exporter.port == nil)
        try exporter.start()
        #expect(throws: HTTPServerError.self) { try exporter.start() }
        let port = try #require(exporter.port)
        await exporter.stop()
        #expect(exporter.port == nil)
        await #expect(throws: HTTPExchange.Failure.self) {
            try await HTTPExchange.perform("GET", "/healthz", port: port)
        }
        let error = #expect(throws: HTTPServerError.self) { try exporter.start() }
        #expect(error?.code == .stopped)
    }

    @Test("A stop before the start and a second stop are as final as a stop after a start")
    func stops() async throws {
        let exporter = try makeExporter()
        await exporter.stop()
        await exporter.stop()
        #expect(exporter.port == nil)
        let error = #expect(throws: HTTPServerError.self) { try exporter.start() }
        #expect(error?.code == .stopped)
    }

    @Test("As a service it runs until the graceful shutdown, and then the port is free", .timeLimit(.minutes(10)))
    func gracefulShutdown() async throws {
        let exporter = try makeExporter()
        let port = try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await exporter.run() }
                let port = try await Self.port(of: exporter)
                #expect(try await HTTPExchange.perform("GET", "/healthz", port: port).status == 200)
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
                return port
            }
        }
        await #expect(throws: HTTPExchange.Failure.self) {
            try await HTTPExchange.perform("GET", "/healthz", port: port)
        }
    }

    @Test("A service group starts and stops it with the other services", .timeLimit(.minutes(10)))
    func serviceGroup() async throws {
        let exporter = try makeExporter()
        let group = ServiceGroup(services: [exporter], logger: Logger(label: "test"))
        async let running: Void = group.run()
        let port = try await Self.port(of: exporter)
        #expect(try await HTTPExchange.perform("GET", "/readyz", port: port).status == 200)
        await group.triggerGracefulShutdown()
        try await running
        #expect(exporter.port == nil)
    }

    @Test("A service group stops an exporter that was started before", .timeLimit(.minutes(10)))
    func startedBefore() async throws {
        let exporter = try makeExporter()
        try exporter.start()
        let port = try #require(exporter.port)
        let group = ServiceGroup(services: [exporter], logger: Logger(label: "test"))
        async let running: Void = group.run()
        #expect(try await HTTPExchange.perform("GET", "/readyz", port: port).status == 200)
        await group.triggerGracefulShutdown()
        try await running
        #expect(exporter.port == nil)
    }

    @Test("Cancelling its task stops it", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let exporter = try makeExporter()
        let task = Task { try await exporter.run() }
        let port = try await Self.port(of: exporter)
        task.cancel()
        _ = await task.result
        await #expect(throws: HTTPExchange.Failure.self) {
            try await HTTPExchange.perform("GET", "/healthz", port: port)
        }
    }

    @Test("A service that cannot listen ends with the reason")
    func failingService() async throws {
        try await Exporter.serving { port in
            let exporter = try Exporter(telemetry: Telemetry(), configuration: HTTPServerConfiguration(port: port))
            let error = await #expect(throws: HTTPServerError.self) { try await exporter.run() }
            #expect(error?.code == .addressInUse)
        }
    }

    /// Waits until the exporter listens. The time limit of the test is the limit of the wait.
    private static func port(of exporter: Exporter) async throws -> Int {
        while true {
            if let port = exporter.port { return port }
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let isRaised = Atomic(false)

    var value: Bool { isRaised.load(ordering: .acquiring) }

    func raise() {
        isRaised.store(true, ordering: .releasing)
    }
}
