// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics
public import AxiomPush
public import Foundation
internal import Logging

/// The settings in the environment variables `OTEL_*`, which the SDKs of OpenTelemetry read in all languages. The page
/// Documentation/opentelemetry.md lists them.
///
/// An empty value counts as none. A wrong one is an error: the specification asks for a warning, after which telemetry would
/// go to the default place.
public struct OpenTelemetryEnvironment: Sendable {
    /// What is exported.
    enum Signal: String, Sendable, CaseIterable {
        case metrics
        case traces
        case logs

        /// What is appended to the base URL.
        var path: String { "/v1/\(rawValue)" }
    }

    /// The attributes of the resource, `service.name` among them if it is set.
    let attributes: [String: String]
    /// Where each signal goes. One that is not exported is absent.
    let clients: [Signal: OTLPClient]
    /// The times between two pushes.
    let intervals: [Signal: Duration]
    let temporality: PushTarget.Temporality
    /// The exponential buckets of histograms of swift-metrics; nil for none.
    let bucketing: ExponentialBucketing?
    /// The lowest level of records of pushers.
    let logLevel: Logger.Level

    /// Reads the variables. If `OTEL_SDK_DISABLED` is `true`, nothing is exported, and no other variable is read.
    ///
    /// - Parameter variables: By default the environment of the process.
    /// - Throws: `PushError` that names each variable that is wrong, its value and the remedy.
    public init(_ variables: [String: String] = ProcessInfo.processInfo.environment) throws(PushError) {
        var reader = EnvironmentReader(variables)
        let isDisabled = reader.choice(reader.first("OTEL_SDK_DISABLED"), ["true": true, "false": false]) ?? false
        if isDisabled { reader = EnvironmentReader([:]) }
        if let file = reader.first("OTEL_CONFIG_FILE") {
            reader.refuse(file, "there is no configuration by a file here; remove it, and set the variables")
        }
        attributes = Self.attributes(&reader)
        clients = isDisabled ? [:] : Self.clients(&reader)
        intervals = Self.intervals(&reader)
        let preference = reader.first("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE")
        temporality =
            reader.choice(preference, ["cumulative": .cumulative, "delta": .delta, "lowmemory": .lowMemory])
            ?? .cumulative
        let aggregation = reader.choice(
            reader.first("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"),
            ["explicit_bucket_histogram": false, "base2_exponential_bucket_histogram": true]
        )
        bucketing = aggregation == true ? ExponentialBucketing() : nil
        logLevel =
            reader.choice(
                reader.first("OTEL_LOG_LEVEL"),
                ["debug": .debug, "info": .info, "warn": .warning, "warning": .warning, "error": .error]
            ) ?? .info
        try reader.finish()
    }

    private static func attributes(_ reader: inout EnvironmentReader) -> [String: String] {
        var attributes = reader.pairs(reader.first("OTEL_RESOURCE_ATTRIBUTES"))
        if attributes["service.name"] == "" { attributes["service.name"] = nil }
        if let name = reader.first("OTEL_SERVICE_NAME") { attributes["service.name"] = name.value }
        return attributes
    }

    private static func intervals(_ reader: inout EnvironmentReader) -> [Signal: Duration] {
        let variables: [(signal: Signal, name: String, milliseconds: Int)] = [
            (.metrics, "OTEL_METRIC_EXPORT_INTERVAL", 60_000), (.traces, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
            (.logs, "OTEL_BLRP_SCHEDULE_DELAY", 1_000),
        ]
        var intervals: [Signal: Duration] = [:]
        for (signal, name, standard) in variables {
            let given = reader.milliseconds(reader.first(name), in: 100...86_400_000)
            intervals[signal] = .milliseconds(given ?? standard)
        }
        return intervals
    }

    // MARK: - Exporters

    private static func clients(_ reader: inout EnvironmentReader) -> [Signal: OTLPClient] {
        var clients: [Signal: OTLPClient] = [:]
        for signal in Signal.allCases where isExported(signal, &reader) { clients[signal] = client(signal, &reader) }
        return clients
    }

    private static func isExported(_ signal: Signal, _ reader: inout EnvironmentReader) -> Bool {
        let console = "records of the log are on standard error in any case, and nothing else is printed"
        let choice = reader.choice(
            reader.first("OTEL_\(signal.rawValue.uppercased())_EXPORTER"),
            ["otlp": true, "none": false],
            remedies: [
                "console": console, "logging": console,
                "prometheus": "run an exporter of AxiomMetricsExporter or AxiomExporter for a page of metrics",
            ]
        )
        return choice ?? true
    }

    private static func client(_ signal: Signal, _ reader: inout EnvironmentReader) -> OTLPClient? {
        let own = "OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_"
        func variable(_ name: String) -> EnvironmentReader.Variable? {
            reader.first(own + name, "OTEL_EXPORTER_OTLP_" + name)
        }
        let port = "send to the port of the collector for HTTP, which is often 4318"
        _ = reader.choice(variable("PROTOCOL"), ["http/protobuf": ()], remedies: ["grpc": port])
        let isCompressed = reader.choice(variable("COMPRESSION"), ["gzip": true, "none": false]) ?? true
        let timeout = reader.milliseconds(variable("TIMEOUT"), in: 0...3_600_000) ?? 10_000
        let base = reader.first("OTEL_EXPORTER_OTLP_ENDPOINT")
        let exact = reader.first(own + "ENDPOINT")
        var url = (exact ?? base)?.value ?? "http://localhost:4318"
        if exact == nil {
            while url.last == "/" { url.removeLast() }
            url += signal.path
        }
        var endpoint = PushEndpoint(url)
        // Zero is no limit. Every wait has one here.
        endpoint.requestTimeout = timeout == 0 ? .seconds(3_600) : .milliseconds(timeout)
        endpoint.connectTimeout = min(.seconds(5), endpoint.requestTimeout)
        endpoint.authorityFile = variable("CERTIFICATE")?.value
        endpoint.clientCertificate = certificate(variable("CLIENT_CERTIFICATE"), variable("CLIENT_KEY"), &reader)
        let client = reader.client(endpoint, isCompressed: isCompressed, exact ?? base)
        guard client != nil, let headers = variable("HEADERS") else { return client }
        endpoint.headers = reader.pairs(headers)
        if let client = try? OTLPClient(exactly: endpoint, isCompressed: isCompressed) { return client }
        // The message of the error may contain credentials.
        reader.refuse(headers, "a name or a value of a header is invalid; write them as in Authorization=Bearer%20abc")
        return nil
    }

    private static func certificate(
        _ certificate: EnvironmentReader.Variable?,
        _ key: EnvironmentReader.Variable?,
        _ reader: inout EnvironmentReader
    ) -> PushEndpoint.ClientCertificate? {
        switch (certificate, key) {
        case (let certificate?, let key?):
            return PushEndpoint.ClientCertificate(certificateFile: certificate.value, keyFile: key.value)
        case (let certificate?, nil):
            reader.refuse(certificate, "its private key is missing; set the variable CLIENT_KEY, too")
        case (nil, let key?): reader.refuse(key, "its certificate is missing; set the variable CLIENT_CERTIFICATE, too")
        case (nil, nil): break
        }
        return nil
    }
}

/// What a process knows of itself, by the names of OpenTelemetry's semantic conventions for resources.
enum DetectedResource {
    /// The name of the executable file.
    static let program: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // Linux appends this if the file was replaced.
        let deleted = " (deleted)"
        let path = link.map { $0.hasSuffix(deleted) ? String($0.dropLast(deleted.count)) : $0 }
        return path.map { URL(filePath: $0).lastPathComponent } ?? ProcessInfo.processInfo.processName
    }()

    static let processID = (name: "process.pid", value: Int64(ProcessInfo.processInfo.processIdentifier))

    static var attributes: [String: String] {
        var attributes = [
            "service.name": "unknown_service:\(program)", "service.instance.id": Resource.instance,
            "host.name": ProcessInfo.processInfo.hostName, "process.executable.name": program,
            "telemetry.sdk.name": "axiom", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": Axiom.version.description,
        ]
        #if os(Linux)
        attributes["os.type"] = "linux"
        #elseif canImport(Darwin)
        attributes["os.type"] = "darwin"
        #endif
        return attributes
    }
}

extension OpenTelemetryEnvironment {
    /// The resource of all signals. Attributes of the application replace those of the environment, which replace what was
    /// detected.
    ///
    /// - Throws: `PushError` if an attribute has no name, or the service has none.
    func resource(service: String?, attributes own: [String: String]) throws(PushError) -> Resource {
        var texts = DetectedResource.attributes.merging(attributes) { $1 }.merging(own) { $1 }
        if let service { texts["service.name"] = service }
        guard texts["service.name"] != "", texts[""] == nil else {
            throw PushError(
                .invalidConfiguration,
                "The resource of OTLP cannot be used: the service or an attribute has an empty name; name it, or leave it out."
            )
        }
        let process = DetectedResource.processID
        return Resource(
            texts.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            integers: texts[process.name] == nil ? [process] : []
        )
    }
}
