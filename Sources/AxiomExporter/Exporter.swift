// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomDashboard
public import AxiomHTTP
public import AxiomInstrumentation
// Exported, so that a file with an exporter can name the cases of ``Exporter/Readiness``.
@_exported public import AxiomMetricsExporter
internal import Logging
public import ServiceLifecycle

/// Serves a telemetry over HTTP: `/metrics` for Prometheus, the dashboard at `/`, and `/healthz` and `/readyz` for a supervisor.
///
/// ```swift
/// let exporter = try Exporter(telemetry: telemetry)
/// try exporter.start()
/// print("http://127.0.0.1:\(exporter.port ?? 0)/metrics")
/// ```
/// It is also a `Service` of swift-service-lifecycle: ``run()`` serves until the group shuts down.
public final class Exporter: Service {
    /// Whether the application can do its work, for `/readyz`.
    public typealias Readiness = MetricsExporter.Readiness

    /// The port that Axiom's documentation and dashboards assume.
    public static let defaultPort = MetricsExporter.defaultPort

    /// The dashboard at `/`. It takes samples while the exporter serves, unless its options disable it.
    package let dashboard: Dashboard
    private let servesDashboard: Bool
    private let server: MetricsExporter

    /// Creates an exporter, which does not listen yet. For a registry without a telemetry there is `MetricsExporter`.
    ///
    /// - Parameters:
    ///   - telemetry: What to serve. The exporter's own metrics (`axiom_exporter_*`) are registered in its registry.
    ///   - configuration: Where to listen; port 9464 of 127.0.0.1 by default. On an address other than loopback,
    ///     `allowedHosts` is required; it applies to every path.
    ///   - dashboard: The name of the application on the page, and whether the page requires a token.
    ///   - createdSeries: Whether a page in OpenMetrics 1.0 has a sample with the time of creation (`_created`, in seconds since
    ///     1970) for each counter and histogram. Off by default: it costs a line for each series, and Prometheus stores it
    ///     as a series of its own unless its feature `created-timestamp-zero-ingestion` is on. Protocol buffers, which that
    ///     Prometheus prefers, always have the times.
    ///   - readiness: Called for every request of `/readyz`, on a network thread. It must not wait.
    ///   - onFailure: Receives a message for each failure while serving: a handler that threw, a collector that failed.
    ///     Called on network threads. By default messages are logged with the label `axiom.exporter`, at most ten a minute.
    /// - Throws: `MetricsError` if the registry has other metrics with the exporter's names; `HTTPServerError` for an empty
    ///   token, and for options that need a token but have none: see ``DashboardOptions``.
    public init(
        telemetry: Telemetry,
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(port: Exporter.defaultPort),
        dashboard options: DashboardOptions = DashboardOptions(),
        createdSeries: Bool = false,
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        onFailure: (@Sendable (String) -> Void)? = nil
    ) throws {
        try options.validate(for: configuration)
        dashboard = Dashboard(telemetry: telemetry, name: options.name, features: options.features)
        servesDashboard = options.isServed
        // A logger for each line, so that it uses the logging system that the application has bootstrapped by then.
        dashboard.onAction { Logger(label: "axiom.dashboard").warning("\($0.printable)") }
        let access = DashboardAccess(token: options.token, isEncrypted: configuration.tls != nil)
        let page = DashboardRoutes(dashboard: dashboard, access: access)
        server = try MetricsExporter(
            telemetry.registry,
            configuration,
            createdSeries,
            readiness,
            onFailure,
            routes: servesDashboard ? page.all : []
        )
    }

    /// The port at which the exporter listens; nil if it does not.
    public var port: Int? {
        server.port
    }

    /// Whether it serves TLS.
    package var isEncrypted: Bool { server.isEncrypted }

    /// Starts to serve. Returns when connections are accepted.
    ///
    /// - Throws: `HTTPServerError` with the option or the address: a value out of range, an address in use, a missing
    ///   permission, an exporter that was stopped before.
    public func start() throws {
        try server.start()
        if servesDashboard { dashboard.start() }
    }

    /// Reads the files of certificates now rather than at the next handshake, for operators who want to know at once
    /// whether new ones can be used. Does nothing without TLS, and before ``start()``. Reads up to three files.
    ///
    /// - Throws: `HTTPServerError` with code `invalidConfiguration`, the file and the remedy. The last good certificates stay
    ///   in use.
    public func reloadCertificates() throws {
        try server.reloadCertificates()
    }

    /// Tells the dashboard's readers, stops accepting, waits for requests in flight, and closes. When it returns, the port
    /// is free.
    public func stop() async {
        dashboard.stop(reason: "the exporter was stopped")
        await server.stop()
    }

    /// Serves until the service group shuts down gracefully or the task is cancelled, and then stops as ``stop()`` does. It may
    /// have been started before, so that a port that is taken ends the program before other services begin.
    ///
    /// - Throws: As ``start()``.
    public func run() async throws {
        if port == nil { try start() }
        // Returns at a graceful shutdown and throws if the task is cancelled. Both end the service.
        try? await gracefulShutdown()
        await stop()
    }
}
