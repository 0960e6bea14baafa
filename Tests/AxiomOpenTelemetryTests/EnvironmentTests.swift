// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Logging
import Testing

@testable import AxiomOpenTelemetry
@testable import AxiomPush

@Suite("The environment variables of OpenTelemetry")
struct EnvironmentTests {
    private typealias Signal = OpenTelemetryEnvironment.Signal

    /// The attributes of a resource, in the text of its message.
    private static func resource(
        _ variables: [String: String],
        service: String? = nil,
        _ own: [String: String] = [:]
    ) throws -> [String] {
        let resource = try OpenTelemetryEnvironment(variables).resource(service: service, attributes: own)
        return String(decoding: resource.request([]).bytes, as: UTF8.self).split {
            $0.isNewline || $0.asciiValue ?? 32 < 32
        }
        .map(String.init)
    }

    @Test("Without variables all signals go to the collector of this machine, as the specification says")
    func defaults() throws {
        for variables in [
            [:], ["OTEL_METRICS_EXPORTER": "", "OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_SDK_DISABLED": ""],
        ] {
            let environment = try OpenTelemetryEnvironment(variables)
            #expect(environment.clients.count == 3)
            for signal in Signal.allCases {
                #expect(environment.clients[signal]?.url.description == "http://localhost:4318/v1/\(signal.rawValue)")
            }
            #expect(environment.intervals == [.metrics: .seconds(60), .traces: .seconds(5), .logs: .seconds(1)])
            #expect(
                environment.temporality == .cumulative && environment.bucketing == nil && environment.logLevel == .info
            )
        }
    }

    @Test(
        "A base URL gets the path of each signal; the URL of a signal stays as it is",
        arguments: [
            ("ENDPOINT", "http://collector:4318", "http://collector:4318/v1/traces"),
            ("ENDPOINT", "http://collector:4318/mycollector/", "http://collector:4318/mycollector/v1/traces"),
            ("ENDPOINT", "https://h/v1/traces", "https://h/v1/traces/v1/traces"),
            ("TRACES_ENDPOINT", "http://collector:4318", "http://collector:4318/"),
            (
                "TRACES_ENDPOINT", "https://collector.example.com/v1/metrics/",
                "https://collector.example.com/v1/metrics/"
            ),
            ("TRACES_ENDPOINT", "https://h/x", "https://h/x"),
        ]
    )
    func addresses(_ name: String, _ value: String, _ url: String) throws {
        let environment = try OpenTelemetryEnvironment(["OTEL_EXPORTER_OTLP_\(name)": value])
        #expect(environment.clients[.traces]?.url.description == url)
        let metrics = try #require(environment.clients[.metrics]?.url.description)
        #expect(name == "ENDPOINT" ? metrics.hasSuffix("/v1/metrics") : metrics == "http://localhost:4318/v1/metrics")
    }

    @Test("A variable of a signal goes before the general one, and each option arrives at its request")
    func options() throws {
        let environment = try OpenTelemetryEnvironment([
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2000", "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT": "0",
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x-tenant = shop=1 ,,",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "only=1",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none", "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION": "GZIP",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/key.pem",
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/client.pem", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        ])
        let metrics = try #require(environment.clients[.metrics])
        #expect(metrics.endpoint.requestTimeout == .seconds(2) && metrics.endpoint.connectTimeout == .seconds(2))
        #expect(metrics.endpoint.headers == ["api-key": "a b", "x-tenant": "shop=1"])
        #expect(metrics.endpoint.authorityFile == "/ca.pem" && metrics.isCompressed)
        let certificate = PushEndpoint.ClientCertificate(certificateFile: "/client.pem", keyFile: "/key.pem")
        #expect(metrics.endpoint.clientCertificate == certificate)
        let logs = try #require(environment.clients[.logs])
        #expect(logs.endpoint.requestTimeout == .seconds(3_600) && !logs.isCompressed)
        #expect(environment.clients[.traces]?.endpoint.headers == ["only": "1"])
    }

    @Test("Signals can be left out, and a disabled SDK exports nothing and reads nothing else")
    func exporters() throws {
        let some = try OpenTelemetryEnvironment(["OTEL_TRACES_EXPORTER": "None", "OTEL_LOGS_EXPORTER": "otlp"])
        #expect(Set(some.clients.keys) == [.metrics, .logs])
        let disabled = try OpenTelemetryEnvironment([
            "OTEL_SDK_DISABLED": "TRUE", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_METRIC_EXPORT_INTERVAL": "x",
        ])
        #expect(disabled.clients.isEmpty)
    }

    @Test("Temporality, buckets, intervals and the level have the words of the specification, in any case")
    func words() throws {
        let environment = try OpenTelemetryEnvironment([
            "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "Delta", "OTEL_METRIC_EXPORT_INTERVAL": "500",
            "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "BASE2_exponential_bucket_histogram",
            "OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_BLRP_SCHEDULE_DELAY": "200", "OTEL_LOG_LEVEL": "WARN",
        ])
        #expect(environment.temporality == .delta && environment.bucketing != nil && environment.logLevel == .warning)
        #expect(
            environment.intervals[.metrics] == .milliseconds(500) && environment.intervals[.logs] == .milliseconds(200)
        )
        let name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
        #expect(try OpenTelemetryEnvironment([name: "lowmemory"]).temporality == .lowMemory)
    }

    @Test(
        "A wrong value is an error with the variable, the value and the remedy",
        arguments: [
            ("OTEL_SDK_DISABLED", "yes", "true or false"), ("OTEL_METRICS_EXPORTER", "console", "standard error"),
            ("OTEL_METRICS_EXPORTER", "prometheus", "AxiomMetricsExporter"),
            ("OTEL_LOGS_EXPORTER", "otlp,console", "otlp or none"),
            ("OTEL_TRACES_EXPORTER", "zipkin", "otlp or none"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "4318"),
            ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/json", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "-1", "0 to 3600000"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "10s", "milliseconds"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "gzip or none"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://h", "http or https"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector", "http"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a", "name=value"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "%25"), ("OTEL_RESOURCE_ATTRIBUTES", "=b", "name=value"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "99", "100 to 86400000"),
            ("OTEL_BSP_SCHEDULE_DELAY", "1.5", "milliseconds"),
            ("OTEL_BLRP_SCHEDULE_DELAY", "soon", "milliseconds"), ("OTEL_LOG_LEVEL", "loud", "warn"),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "both", "lowmemory"),
            ("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "none", "explicit_bucket_histogram"),
            ("OTEL_EXPORTER_OTLP_CLIENT_KEY", "/key", "CLIENT_CERTIFICATE"),
            ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/c", "CLIENT_KEY"),
            ("OTEL_CONFIG_FILE", "/otel.yaml", "remove it"),
        ]
    )
    func wrong(_ name: String, _ value: String, _ remedy: String) throws {
        let error = try #require(throws: PushError.self) { try OpenTelemetryEnvironment([name: value]) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("\(name) is \"\(value)") && error.message.contains(remedy), "\(error.message)")
        #expect(error.message.split(separator: "\n").count == 1)
    }

    @Test("All wrong variables are in one error, and no secret is")
    func secrets() throws {
        let error = try #require(throws: PushError.self) {
            try OpenTelemetryEnvironment([
                "OTEL_EXPORTER_OTLP_HEADERS": "bad name=s3cret", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "s3cret",
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://me:s3cret@h", "OTEL_LOG_LEVEL": "loud\u{1b}",
                "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY": "-----BEGIN PRIVATE KEY----- s3cret",
            ])
        }
        #expect(!error.message.contains("s3cret") && !error.message.contains("\u{1b}"), "\(error.message)")
        let lines = error.message.split(separator: "\n")
        for name in ["OTLP_HEADERS", "TRACES_HEADERS", "LOGS_ENDPOINT", "OTEL_LOG_LEVEL", "CLIENT_KEY"] {
            #expect(lines.count { $0.contains(name) } == 1, "\(name)")
        }
    }

    @Test("Of resources the application goes before the environment, and that before what was detected")
    func precedence() throws {
        let detected = try Self.resource([:])
        let program = DetectedResource.program
        for text in [
            "unknown_service:\(program)", "service.instance.id", "host.name", "process.pid", "axiom", "swift",
            "os.type",
        ] {
            #expect(detected.contains { $0.contains(text) }, "\(text)")
        }
        let variables = ["OTEL_RESOURCE_ATTRIBUTES": "service.name=a,region=north%2C%20west,host.name=h1"]
        let attributes = try OpenTelemetryEnvironment(variables).attributes
        #expect(attributes == ["service.name": "a", "region": "north, west", "host.name": "h1"])
        let both = variables.merging(["OTEL_SERVICE_NAME": "b"]) { $1 }
        #expect(try OpenTelemetryEnvironment(both).attributes["service.name"] == "b")
        #expect(try OpenTelemetryEnvironment(["OTEL_RESOURCE_ATTRIBUTES": "service.name="]).attributes.isEmpty)
        let own = try Self.resource(both, service: "shop", ["region": "south"])
        #expect(
            own.contains { $0.hasSuffix("shop") } && own.contains { $0.hasSuffix("south") }
                && own.contains { $0.hasSuffix("h1") }
        )
        #expect(!own.contains { $0.contains("north") })
        for (service, attributes) in [("", [:]), (nil, ["": "x"]), (nil, ["service.name": ""])]
            as [(String?, [String: String])]
        {
            #expect(throws: PushError.self) { try Self.resource([:], service: service, attributes) }
        }
    }

    @Test("Any attributes that are percent-encoded are read back, and any text is read or refused")
    func properties() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        let letters = Array("ab=,%; \"é\u{1F600}\t+&")
        func text(_ least: Int) -> String {
            String(
                (0..<Int.random(in: least...6, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? "a"
                }
            )
        }
        for _ in 0..<500 {
            var attributes: [String: String] = [:]
            for _ in 0..<Int.random(in: 1...4, using: &generator) { attributes["k" + text(0)] = text(0) }
            let list = attributes.map { name, value in
                [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }.joined(
                    separator: "="
                )
            }
            let variables = ["OTEL_RESOURCE_ATTRIBUTES": list.joined(separator: " , ")]
            #expect(try OpenTelemetryEnvironment(variables).attributes == attributes)
            let any = text(1)
            let read = try? OpenTelemetryEnvironment(["OTEL_RESOURCE_ATTRIBUTES": any])
            let members = any.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
            if members.contains(where: { !$0.contains("=") }) { #expect(read == nil, "\(any)") }
        }
    }

    @Test(
        "No part of a header or of the query of a URL is in an error",
        arguments: [
            ("HEADERS", "Authorization: Basic s3cret==", "Bearer%20"), ("LOGS_HEADERS", "s3cret :=a", "Bearer%20"),
            ("HEADERS", "s3cret=a%0A", "Bearer%20"), ("HEADERS", "a=s3cret%00", "Bearer%20"),
            ("ENDPOINT", "http://h:4318?token=s3cret", "has a query; remove it"),
            ("ENDPOINT", "h:4318/#s3cret", "http"), ("TRACES_ENDPOINT", "ftp://h/?s3cret", "http or https"),
            ("METRICS_ENDPOINT", "http://h/#s3cret", "has a fragment; remove it"),
        ]
    )
    func hidden(_ name: String, _ value: String, _ remedy: String) throws {
        let variables = ["OTEL_EXPORTER_OTLP_\(name)": value]
        let error = try #require(throws: PushError.self) { try OpenTelemetryEnvironment(variables) }
        #expect(error.message.contains("\(name) is set: ") && error.message.contains(remedy), "\(error.message)")
        #expect(!error.message.contains("s3cret") && error.message.split(separator: "\n").count == 1)
    }

    @Test("The version of the resource is that of the package")
    func version() throws {
        let page = try String(contentsOf: Repository.root.appending(path: "Documentation/versions.md"), encoding: .utf8)
        let version = try #require(DetectedResource.attributes["telemetry.sdk.version"])
        #expect(page.contains("the version is \(version)"))
    }
}
