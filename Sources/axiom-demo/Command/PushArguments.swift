// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import AxiomPush
internal import AxiomTracePush
internal import Foundation

/// The options that push the metrics, for receivers that cannot scrape the demo.
struct PushArguments: ParsableArguments {
    /// The label `job`, and the name of the service.
    private static let job = "axiom-demo"

    @Option(help: .init("Push the metrics to a Pushgateway, such as http://127.0.0.1:9091.", valueName: "url"))
    var pushGateway: String?

    @Option(
        help: .init(
            "Push the metrics by remote write, such as to http://127.0.0.1:9090/api/v1/write.",
            valueName: "url"
        )
    )
    var remoteWrite: String?

    @Option(
        help: "The version of remote write: 1, the default, or 2, which falls back to 1.",
        transform: { text in
            let versions = ["1": PushTarget.RemoteWriteVersion.v1, "2": .v2]
            guard let version = versions[text] else { throw ValidationError("1 and 2 are allowed") }
            return version
        }
    )
    var remoteWriteVersion: PushTarget.RemoteWriteVersion?

    @Option(
        help: .init(
            "Push the metrics and the kept traces to an OpenTelemetry collector, such as http://127.0.0.1:4318.",
            valueName: "url"
        )
    )
    var otlp: String?

    @Option(
        help: .init(
            "Write the metrics to a file for the textfile collector of node_exporter. Its name ends in .prom.",
            valueName: "file"
        )
    )
    var textfile: String?

    @Option(
        help: "The time between two pushes, 100ms to 24h; 15s by default.",
        transform: Duration.argument(in: .milliseconds(100) ... .seconds(86_400), "100ms to 24h")
    )
    var pushInterval: Duration?

    func validate() throws {
        let given = URLComponents(string: otlp ?? "")?.path ?? ""
        for path in ["/v1/metrics", "/v1/traces"] where given.hasSuffix(path) {
            let rest = given == path ? "it" : path
            throw ValidationError(
                "--otlp has the path \(given); leave \(rest) out: /v1/metrics and /v1/traces are appended."
            )
        }
        try PathArgument.requireFolder(of: textfile, "--textfile")
        if remoteWrite == nil, remoteWriteVersion != nil {
            throw ValidationError("--remote-write-version needs --remote-write; add it, or leave the version out.")
        }
        if try targets(instance: "").isEmpty, pushInterval != nil {
            throw ValidationError(
                "--push-interval needs --push-gateway, --remote-write, --otlp or --textfile; add one, or leave it out."
            )
        }
    }

    /// Pushes to all targets.
    ///
    /// - Parameter instance: The label `instance` of the series, and the attribute `service.instance.id` of OTLP.
    /// - Returns: Nil without targets.
    /// - Throws: `PushError`; `MetricsError`.
    func pusher(of telemetry: Telemetry, instance: String) throws -> Pusher? {
        let targets = try targets(instance: instance, tracesOf: telemetry)
        guard !targets.isEmpty else { return nil }
        return try Pusher(
            registry: telemetry.registry,
            to: targets,
            interval: pushInterval ?? .seconds(15),
            onFailure: { Console.printError($0) }
        )
    }

    /// The targets of the metrics, and with a telemetry those of its traces.
    ///
    /// - Throws: `ValidationError` that names the option. It has no URL, which may contain a password.
    private func targets(instance: String, tracesOf telemetry: Telemetry? = nil) throws -> [PushTarget] {
        let job = Self.job
        let attributes: KeyValuePairs = ["service.instance.id": instance]
        return [
            try target("--push-gateway", pushGateway) {
                .pushgateway(try Pushgateway(PushEndpoint($0), job: job, grouping: ["instance": instance]))
            },
            try target("--remote-write", remoteWrite) {
                try .remoteWrite(
                    PushEndpoint($0),
                    externalLabels: ["job": job, "instance": instance],
                    version: remoteWriteVersion ?? .v1
                )
            },
            try target("--otlp", otlp) {
                try .otlpMetrics(PushEndpoint($0), service: job, attributes: attributes)
            },
            try target("--textfile", textfile) { try .textfile($0, labels: ["job": job]) },
            try telemetry.flatMap { telemetry in
                try target("--otlp", otlp) {
                    try .otlpTraces(of: telemetry, PushEndpoint($0), service: job, attributes: attributes)
                }
            },
        ].compactMap(\.self)
    }

    private func target(
        _ option: String,
        _ value: String?,
        _ make: (String) throws -> PushTarget
    ) throws -> PushTarget? {
        do {
            return try value.map(make)
        } catch let error as PushError {
            throw ValidationError("\(option): \(error.message)\(error.message.hasSuffix(".") ? "" : ".")")
        }
    }
}
