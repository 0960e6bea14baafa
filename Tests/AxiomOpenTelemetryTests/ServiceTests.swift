// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomPush
import AxiomTestSupport
import Foundation
import Logging
import Testing

@testable import AxiomOpenTelemetry

@Suite("A service that one call sets up", .timeLimit(.minutes(10)))
struct ServiceTests {
    private typealias JSON = [String: Any]

    #if Instrumented
    private static let isTraced = true
    #else
    private static let isTraced = false
    #endif

    private func start(_ variables: [String: String]) throws -> RunningProgram {
        let program = try BuildFolder().url.appending(path: "otel-service").path
        return try RunningProgram("/usr/bin/env", variables.map { "\($0)=\($1)" } + [program])
    }

    private static func resource(_ request: Receiver.Request, _ key: String) -> [String: String] {
        let attributes = request["otlp", key, 0, "resource", "attributes"] as? [JSON] ?? []
        let pairs = attributes.map { attribute in
            let value = attribute["value"] as? JSON
            return (attribute["key"] as? String ?? "", (value?["stringValue"] ?? value?["intValue"]) as? String ?? "")
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// The attribute `step` of each data point of `jobs_total`.
    private static func steps(_ request: Receiver.Request) -> [String] {
        let metrics = request["otlp", "resourceMetrics", 0, "scopeMetrics", 0, "metrics"] as? [JSON] ?? []
        let sums = metrics.filter { $0["name"] as? String == "jobs_total" }.compactMap { $0["sum"] as? JSON }
        let points = sums.flatMap { $0["dataPoints"] as? [JSON] ?? [] }
        let attributes = points.flatMap { $0["attributes"] as? [JSON] ?? [] }.filter { $0["key"] as? String == "step" }
        return attributes.compactMap { ($0["value"] as? JSON)?["stringValue"] as? String }
    }

    @Test(
        "Metrics, traces and logs arrive with one resource, and a signal ends it after a last push of each",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation)),
        arguments: [SIGTERM, SIGINT]
    )
    func program(_ signal: Int32) async throws {
        let receiver = try await Receiver()
        let program = try start([
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url("/otlp"), "OTEL_SERVICE_NAME": "jobs",
            "OTEL_RESOURCE_ATTRIBUTES": "region=north,deployment.environment.name=ignored",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=a%20b", "OTEL_METRIC_EXPORT_INTERVAL": "3600000",
            "OTEL_BSP_SCHEDULE_DELAY": "3600000", "OTEL_BLRP_SCHEDULE_DELAY": "3600000",
            "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "delta",
        ])
        let second = try await program.firstLine("the second call") { $0.hasPrefix("second: ") ? $0 : nil }
        #expect(second.contains("invalid_configuration") && second.contains("once"))
        _ = try await program.firstLine("its start") { $0 == "ready" ? true : nil }
        program.signal(signal)
        #expect(await program.exitCode() == 0, "\(program.output)")
        #expect(program.output.contains("ended") && program.output.contains("trace_id=") == Self.isTraced)

        // A logger with a metadata provider of its own.
        let own = program.output.split(separator: "\n").filter { $0.contains("from=provider") }
        #expect(own.count == 2 && own.allSatisfy { $0.contains("trace_id=") == Self.isTraced }, "\(own)")

        var resources: Set<[String: String]> = []
        var (steps, names, spans, tenants) = (Set<String>(), Set<String>(), 0, Set<String?>())
        // Each signal is pushed at the start and at the end. What is there decides, not when.
        while steps != ["begin", "end"] || spans < (Self.isTraced ? 2 : 0) || !names.contains("jobs_total step=end") {
            let request = try await receiver.request()
            tenants.insert(request.header("x-tenant"))
            let text = "\(request["otlp"] ?? "")"
            for (path, key) in [("metrics", "resourceMetrics"), ("traces", "resourceSpans"), ("logs", "resourceLogs")] {
                if request.path == "/otlp/v1/\(path)" { resources.insert(Self.resource(request, key)) }
            }
            switch request.path {
            case "/otlp/v1/logs": for step in ["begin", "end"] where text.contains(step) { steps.insert(step) }
            case "/otlp/v1/traces":
                spans += (request["otlp", "resourceSpans", 0, "scopeSpans", 0, "spans"] as? [JSON])?.count ?? 0
            default: if Self.steps(request).contains("end") { names.insert("jobs_total step=end") }
            }
        }
        #expect(tenants == ["a b"])
        let resource = try #require(resources.first)
        #expect(resources.count == 1, "\(resources)")
        #expect(resource["service.name"] == "jobs" && resource["region"] == "north")
        #expect(resource["deployment.environment.name"] == "test", "the application goes before the environment")
        #expect(resource["process.executable.name"] == "otel-service" && Int(resource["process.pid"] ?? "") ?? 0 > 1)
        #expect(resource["telemetry.sdk.language"] == "swift" && resource["service.instance.id"]?.isEmpty == false)
    }

    @Test(
        "A collector that wants the certificate of a client gets records while the service runs",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation)),
        .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
    )
    func trust() async throws {
        let certificates = try await TestCertificates()
        try await certificates.issue("client", usage: "clientAuth")
        let receiver = try await Receiver(tls: ["server.pem", "server.key", "ca.pem"].map(certificates.path))
        let environment = try OpenTelemetryEnvironment([
            "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": receiver.url("/v1/logs"), "OTEL_METRICS_EXPORTER": "none",
            "OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_CERTIFICATE": certificates.path("ca.pem"),
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": certificates.path("client.pem"),
            "OTEL_EXPORTER_OTLP_CLIENT_KEY": certificates.path("client.key"), "OTEL_BLRP_SCHEDULE_DELAY": "100",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        ])
        let service = try OpenTelemetryService(Telemetry(), environment: environment)
        let logger = Logger(label: "a") { service.logHandler(label: $0) }
        let running = Task { try await service.run() }
        for text in ["first", "second"] {
            logger.info("\(text)")
            let request = try await receiver.request()
            #expect("\(request["otlp"] ?? "")".contains(text) && request.header("Content-Encoding") == nil)
        }
        running.cancel()
        try await running.value
    }

    @Test("A disabled SDK works, logs to standard error, and pushes nothing", arguments: ["OTEL_SDK_DISABLED", "none"])
    func disabled(_ how: String) async throws {
        let none = ["METRICS", "TRACES", "LOGS"].map { ("OTEL_\($0)_EXPORTER", "none") }
        let variables =
            how == "none" ? Dictionary(uniqueKeysWithValues: none) : [how: "true", "OTEL_LOGS_EXPORTER": "x"]
        let program = try start(variables)
        _ = try await program.firstLine("its start") { $0 == "ready" ? true : nil }
        program.signal()
        #expect(await program.exitCode() == 0, "\(program.output)")
        #expect(program.output.contains("a job") && !program.output.contains("cannot be reached"))
    }

    @Test("A wrong environment ends the program with the variable and the remedy")
    func wrong() async throws {
        let program = try start(["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"])
        #expect(await program.exitCode() != 0)
        #expect(program.output.contains("OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\""), "\(program.output)")
        // Nothing was set up in this process, so the call may be repeated.
        let error = #expect(throws: PushError.self) {
            try Telemetry.bootstrap(environment: ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"])
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("The handler of a service writes to the collector and to the dashboard, without bootstrapping anything")
    func handler() async throws {
        let environment = try OpenTelemetryEnvironment([
            "OTEL_METRICS_EXPORTER": "none", "OTEL_TRACES_EXPORTER": "none", "OTEL_LOG_LEVEL": "error",
        ])
        let service = try OpenTelemetryService(Telemetry(), environment: environment)
        let provider = Logger.MetadataProvider { ["from": "provider"] }
        let logger = Logger(label: "a") { service.logHandler(label: $0, level: .notice, metadataProvider: provider) }
        #expect(logger.logLevel == .notice)
        logger.notice("kept")
        let records = service.telemetry.readings.logRecords.all
        #expect(records.map(\.message) == ["kept"] && records.first?.metadata["from"] == "provider")
        #expect(service.logHandler(label: "axiom.push", level: .debug, metadataProvider: nil).logLevel == .error)
        let disabled = try OpenTelemetryService(
            Telemetry(),
            environment: OpenTelemetryEnvironment(["OTEL_SDK_DISABLED": "true"])
        )
        let running = Task { try await disabled.run() }
        running.cancel()
        try await running.value
    }
}
