// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomDashboard
public import AxiomHTTP
public import AxiomInstrumentation
public import AxiomMetrics
public import AxiomMetricsExporter
public import ServiceLifecycle

/// Serves a telemetry, or a registry, over HTTP: `/metrics` to Prometheus, the dashboard at `/` to a browser, `/healthz`
/// and `/readyz` to a supervisor.
///
/// ```swift
/// let exporter = try Exporter(telemetry: telemetry)
/// try exporter.start()
/// print("http://127.0.0.1:\(exporter.port ?? 0)/metrics")
/// ```
/// It is a `Service` of swift-service-lifecycle as well: ``run()`` serves until the group shuts down.
public final class Exporter: Service {
    /// Whether the application can do its work, for `/readyz`.
    public enum Readiness: Sendable {
        /// It can.
        case ready
        /// It cannot yet, or not any more; the reason is shown.
        case notReady(String)
    }

    /// The port that Axiom's documentation and dashboards assume.
    public static let defaultPort = MetricsExporter.defaultPort

    /// What is shown at `/`. It takes samples while the exporter serves, unless its options say that there is none.
    public let dashboard: Dashboard
    private let servesDashboard: Bool
    private let server: MetricsExporter

    /// Makes an exporter of a telemetry, which does not listen yet.
    ///
    /// - Parameters:
    ///   - telemetry: What to serve. The exporter's own metrics (`axiom_exporter_*`) are registered in its registry.
    ///   - configuration: As for a registry.
    ///   - dashboard: What the application is called there, and whether its page asks for a token.
    ///   - createdSeries: As for a registry.
    ///   - readiness: As for a registry.
    ///   - onFailure: As for a registry.
    /// - Throws: `MetricsError` when the registry holds other metrics of the exporter's names; `HTTPServerError` for an
    ///   empty token.
    public convenience init(
        telemetry: Telemetry,
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(port: Exporter.defaultPort),
        dashboard: DashboardOptions = DashboardOptions(),
        createdSeries: Bool = false,
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        onFailure: @escaping @Sendable (String) -> Void = FailureLog.standardError()
    ) throws {
        try self.init(
            telemetry.registry,
            Dashboard(telemetry: telemetry, name: dashboard.name),
            configuration,
            dashboard,
            createdSeries,
            readiness,
            onFailure
        )
    }

    /// Makes an exporter of a registry alone, which does not listen yet: its dashboard shows the process, and what of
    /// Axiom's metrics the registry has.
    ///
    /// - Parameters:
    ///   - registry: What to serve. The exporter's own metrics (`axiom_exporter_*`) are registered here too.
    ///   - configuration: Where to listen. Port 9464 of 127.0.0.1 unless told otherwise; on an address that others
    ///     can reach `allowedHosts` is required, and `/metrics` obeys it like every other path.
    ///   - createdSeries: Whether a page in OpenMetrics shows when each counter and histogram began, as one more sample
    ///     (`_created`, in seconds since 1970). Off unless told: it costs a line for each series, and Prometheus keeps it
    ///     as a series of its own unless it runs with the feature `created-timestamp-zero-ingestion`. Protocol buffers,
    ///     which that Prometheus asks for first, always carry the times.
    ///   - readiness: Asked at every request of `/readyz`, on a network thread: it must not wait.
    ///   - onFailure: Receives what went wrong while serving, in words: a handler that threw, a collector that failed.
    ///     Called on network threads. By default it is written to standard error, at most ten lines a minute.
    /// - Throws: `MetricsError` when the registry holds other metrics of the exporter's names.
    public convenience init(
        registry: Registry,
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(port: Exporter.defaultPort),
        dashboard: DashboardOptions = DashboardOptions(),
        createdSeries: Bool = false,
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        onFailure: @escaping @Sendable (String) -> Void = FailureLog.standardError()
    ) throws {
        try self.init(
            registry,
            Dashboard(registry: registry, name: dashboard.name),
            configuration,
            dashboard,
            createdSeries,
            readiness,
            onFailure
        )
    }

    private init(
        _ registry: Registry,
        _ dashboard: Dashboard,
        _ configuration: HTTPServerConfiguration,
        _ options: DashboardOptions,
        _ createdSeries: Bool,
        _ readiness: @escaping @Sendable () -> Readiness,
        _ onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        try options.validate()
        self.dashboard = dashboard
        servesDashboard = options.isServed
        let page = DashboardRoutes(dashboard: dashboard, access: DashboardGuard(token: options.token))
        server = try MetricsExporter(
            registry,
            configuration,
            createdSeries,
            {
                switch readiness() {
                case .ready: .ready
                case .notReady(let reason): .notReady(reason)
                }
            },
            onFailure,
            routes: servesDashboard ? page.all : []
        )
    }

    /// The port at which the exporter listens; nil when it does not.
    public var port: Int? {
        server.port
    }

    /// Begins to serve; returns as soon as connections are accepted.
    ///
    /// - Throws: `HTTPServerError` that names the option or the address: a configuration out of range, an address in
    ///   use, a missing permission, an exporter that was stopped before.
    public func start() throws {
        try server.start()
        if servesDashboard { dashboard.start() }
    }

    /// Tells those who look at the dashboard, stops accepting, lets requests in flight end, and closes. When it returns,
    /// the port is free.
    public func stop() async {
        dashboard.stop(reason: "the exporter was stopped")
        await server.stop()
    }

    /// Serves until the service group shuts down gracefully or the task is cancelled, and then stops as ``stop()``
    /// does.
    ///
    /// - Throws: As ``start()``.
    public func run() async throws {
        try start()
        // Returns at the graceful shutdown and throws when the task is cancelled: either is the time to stop.
        try? await gracefulShutdown()
        await stop()
    }
}
