// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomInstrumentation
internal import AxiomLogging
internal import AxiomMetrics
internal import AxiomPush
public import AxiomSwiftMetrics
internal import AxiomTracePush
internal import CoreMetrics
public import Foundation
public import Logging
public import ServiceLifecycle

extension Telemetry {
    /// Sets up metrics, traces and logs as the environment variables `OTEL_*` say.
    ///
    /// ```swift
    /// let exporting = try Telemetry.bootstrap(service: "shop")
    /// let orchestrator = Orchestrator(instrumentation: exporting.telemetry)
    /// let group = ServiceGroup(
    ///     services: [exporting, shop],
    ///     gracefulShutdownSignals: [.sigterm, .sigint],
    ///     logger: Logger(label: "shop")
    /// )
    /// try await group.run()
    /// ```
    /// The logging system writes to standard error, with the ids of traces, to the dashboard, and to the collector. The
    /// metrics system records in the registry of the telemetry, whose metrics and kept traces go to the collector. The service
    /// that is returned pushes while it runs; put it first into a service group, which ends it last.
    ///
    /// Call it once, before the first logger and the first metric are made. `LoggingSystem.bootstrap` and
    /// `MetricsSystem.bootstrap` end the process when they are called twice, so an application must not call them as well. One
    /// that does makes an ``OpenTelemetryService`` instead, and uses its ``OpenTelemetryService/logHandler(label:level:metadataProvider:)``.
    ///
    /// - Parameters:
    ///   - service: The attribute `service.name`; by default that of the environment, or `unknown_service:` and the name of the
    ///     program.
    ///   - attributes: Attributes of the resource. They replace those of the environment.
    ///   - environment: By default the environment of the process.
    ///   - logLevel: The lowest level that is logged.
    ///   - metadataProvider: Adds metadata to all records.
    ///   - metrics: Options of the metrics of swift-metrics.
    ///   - telemetry: What records; by default a new one.
    /// - Throws: `PushError` that names each wrong variable, or if it was called before; `TelemetryError` or `MetricsError` of a
    ///   new telemetry. Then nothing was set up.
    public static func bootstrap(
        service: String? = nil,
        attributes: [String: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        logLevel: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil,
        metrics: SwiftMetricsOptions = SwiftMetricsOptions(),
        telemetry: Telemetry? = nil
    ) throws -> OpenTelemetryService {
        let settings = try OpenTelemetryEnvironment(environment)
        let telemetry = try telemetry ?? Telemetry()
        let exporting = try OpenTelemetryService(
            telemetry,
            service: service,
            attributes: attributes,
            environment: settings
        )
        try Bootstrapping.claim()
        var options = metrics
        if let bucketing = settings.bucketing { options.exponential = bucketing }
        LoggingSystem.bootstrap { label in
            exporting.logHandler(label: label, level: logLevel, metadataProvider: metadataProvider)
        }
        MetricsSystem.bootstrap(AxiomMetricsFactory(registry: telemetry.registry, options: options))
        return exporting
    }
}

/// Whether ``Telemetry/bootstrap(service:attributes:environment:logLevel:metadataProvider:metrics:telemetry:)`` set up this
/// process.
private enum Bootstrapping {
    /// Guarded by its lock.
    private static let isDone = Lock(false)

    static func claim() throws(PushError) {
        let wasDone = isDone.withLock { isDone in
            defer { isDone = true }
            return isDone
        }
        guard !wasDone else {
            throw PushError(
                .invalidConfiguration,
                "Telemetry.bootstrap was called before in this process; call it once, and pass on what it returned."
            )
        }
    }
}

/// Pushes the metrics, the kept traces and the log records of a telemetry, each on its own interval, and once more at the end.
///
/// Metrics are taken each minute, traces each 5 s, and log records each second by default. Each signal has a ``Pusher``.
public struct OpenTelemetryService: Service {
    /// What records.
    public let telemetry: Telemetry

    private let pushers: [Pusher]
    /// The records that wait; nil if they are not exported.
    private let records: OTLPLogQueue?
    private let pushLevel: Logger.Level

    /// Prepares to push, and sets up neither the logging system nor the metrics system.
    ///
    /// - Parameters:
    ///   - telemetry: What records.
    ///   - service: The attribute `service.name`, as for `Telemetry.bootstrap`.
    ///   - attributes: Attributes of the resource. They replace those of the environment.
    ///   - environment: What is exported, and where.
    /// - Throws: `PushError` if the service or an attribute has an empty name; `MetricsError` if the registry has other
    ///   metrics with the names of a pusher.
    public init(
        _ telemetry: Telemetry,
        service: String? = nil,
        attributes: [String: String] = [:],
        environment: OpenTelemetryEnvironment
    ) throws {
        let resource = try environment.resource(service: service, attributes: attributes)
        let records = try environment.clients[.logs].map { _ in try OTLPLogQueue(of: telemetry) }
        self.telemetry = telemetry
        self.records = records
        pushLevel = environment.logLevel
        pushers = try environment.clients.map { signal, client in
            let target =
                switch signal {
                case .metrics: PushTarget.otlpMetrics(client, resource, environment.temporality)
                case .traces: PushTarget.otlpTraces(of: telemetry, client, resource)
                case .logs:
                    PushTarget(
                        LogDestination(client: client, resource: resource, records: try records ?? OTLPLogQueue())
                    )
                }
            let interval = environment.intervals[signal] ?? .seconds(60)
            return try Pusher(registry: telemetry.registry, to: [target], interval: interval)
        }
    }

    /// A handler that writes records to standard error, with the ids of traces, keeps them for the dashboard, and passes them
    /// to the collector: for an application that bootstraps the logging system itself.
    ///
    /// - Parameters:
    ///   - label: The label of the logger. Records of `axiom.push` have the level of `OTEL_LOG_LEVEL`.
    ///   - level: The lowest level that is logged.
    ///   - metadataProvider: Adds metadata to each record; by default that of the logging system.
    public func logHandler(
        label: String,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
    ) -> any LogHandler {
        let errors = StreamLogHandler.standardError(label: label, metadataProvider: metadataProvider)
        var handlers: [any LogHandler] = [
            // The provider of this handler stays when a logger sets one of its own.
            MultiplexLogHandler([errors], metadataProvider: .trace(of: telemetry)),
            TraceLogHandler(label: label, telemetry, metadataProvider: metadataProvider),
        ]
        if let records { handlers.append(OTLPLogHandler(label: label, records, metadataProvider: metadataProvider)) }
        var handler = MultiplexLogHandler(handlers)
        handler.logLevel = label == OTLPLogHandler.pushLabel ? pushLevel : level
        return handler
    }

    /// Pushes until the service group shuts down gracefully or the task is cancelled, and then once more. If nothing is
    /// exported, it only waits.
    ///
    /// - Throws: `PushError` if it was called before.
    public func run() async throws {
        guard !pushers.isEmpty else {
            // The wait for the end of the process has no limit. A cancellation ends it.
            try? await gracefulShutdown()
            return
        }
        try await withThrowingTaskGroup { group in
            for pusher in pushers { group.addTask { try await pusher.run() } }
            try await group.waitForAll()
        }
    }
}
