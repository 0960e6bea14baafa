// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import AxiomPush
internal import AxiomTracePush
internal import Foundation

/// The options that push the metrics, for receivers that cannot scrape the demo.
struct PushArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Push the metrics to a Pushgateway, such as http://127.0.0.1:9091.",
            valueName: "url"
        )
    )
    var pushGateway: String?

    @Option(
        help: ArgumentHelp(
            "Push the metrics by remote write, such as to http://127.0.0.1:9090/api/v1/write.",
            valueName: "url"
        )
    )
    var remoteWrite: String?

    @Option(
        help: ArgumentHelp(
            "Push the metrics and the kept traces to an OpenTelemetry collector, such as http://127.0.0.1:4318.",
            valueName: "url"
        )
    )
    var otlp: String?

    @Option(
        help: ArgumentHelp(
            "Write the metrics to a file for the textfile collector of node_exporter. Its name ends in .prom.",
            valueName: "file"
        )
    )
    var textfile: String?

    @Option(
        help: "The time between two pushes, 100ms to 24h; 15s by default.",
        transform: DurationArgument.init
    )
    var pushInterval: DurationArgument?

    func validate() throws {
        try Self.check("--push-gateway") { _ = try gateway("") }
        try Self.check("--remote-write") { _ = try writer("") }
        try Self.check("--otlp") { _ = try collector("") }
        let given = URLComponents(string: otlp ?? "")?.path ?? ""
        for path in ["/v1/metrics", "/v1/traces"] where given.hasSuffix(path) {
            let rest = given == path ? "it" : path
            throw ValidationError(
                "--otlp has the path \(given); leave \(rest) out: /v1/metrics and /v1/traces are appended."
            )
        }
        try OutputPath.validate(textfile, "--textfile")
        try Self.check("--textfile") { _ = try file() }
        guard let pushInterval else { return }
        guard hasTargets else {
            throw ValidationError(
                "--push-interval needs --push-gateway, --remote-write, --otlp or --textfile; add one, or leave it out."
            )
        }
        guard (.milliseconds(100) ... .seconds(86_400)).contains(pushInterval.duration) else {
            throw ValidationError("--push-interval is \(pushInterval); 100ms to 24h are allowed.")
        }
    }

    private var hasTargets: Bool { [pushGateway, remoteWrite, otlp, textfile].contains { $0 != nil } }

    /// Pushes to all targets.
    ///
    /// - Parameter instance: The label `instance` of the series, and the attribute `service.instance.id` of OTLP.
    /// - Returns: Nil without targets.
    /// - Throws: `PushError` for values that ``validate()`` has refused; `MetricsError`.
    func pusher(of telemetry: Telemetry, instance: String) throws -> Pusher? {
        let metrics = [try gateway(instance), try writer(instance), try collector(instance), try file()]
        let targets = (metrics + [try collector(instance, of: telemetry)]).compactMap { $0 }
        guard !targets.isEmpty else { return nil }
        return try Pusher(
            registry: telemetry.registry,
            to: targets,
            interval: pushInterval?.duration ?? .seconds(15),
            onFailure: { Console.printError($0) }
        )
    }
}

extension PushArguments {
    /// The label `job`, and the name of the service.
    private static let job = "axiom-demo"

    private func gateway(_ instance: String) throws -> PushTarget? {
        try pushGateway.map {
            .pushgateway(try Pushgateway(PushEndpoint($0), job: Self.job, grouping: ["instance": instance]))
        }
    }

    private func writer(_ instance: String) throws -> PushTarget? {
        try remoteWrite.map {
            try .remoteWrite(PushEndpoint($0), externalLabels: ["job": Self.job, "instance": instance])
        }
    }

    private func collector(_ instance: String) throws -> PushTarget? {
        try otlp.map {
            try .otlpMetrics(PushEndpoint($0), service: Self.job, attributes: ["service.instance.id": instance])
        }
    }

    private func collector(_ instance: String, of telemetry: Telemetry) throws -> PushTarget? {
        try otlp.map {
            try .otlpTraces(
                of: telemetry,
                PushEndpoint($0),
                service: Self.job,
                attributes: ["service.instance.id": instance]
            )
        }
    }

    private func file() throws -> PushTarget? { try textfile.map { try .textfile($0, labels: ["job": Self.job]) } }

    /// - Throws: `ValidationError` that names the option. It has no URL, which may contain a password.
    private static func check(_ option: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as PushError {
            throw ValidationError("\(option): \(error.message)\(error.message.hasSuffix(".") ? "" : ".")")
        }
    }
}
