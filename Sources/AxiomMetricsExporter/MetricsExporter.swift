// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomHTTP
public import AxiomMetrics

/// Serves a registry over HTTP: `/metrics` to Prometheus, `/healthz` and `/readyz` to a supervisor.
///
/// ```swift
/// let exporter = try MetricsExporter(registry: registry)
/// try exporter.start()
/// print("http://127.0.0.1:\(exporter.port ?? 0)/metrics")
/// ```
/// It needs neither the framework nor the dashboard. `Exporter` of the module `AxiomExporter` has both.
public final class MetricsExporter: Sendable {
    /// Whether the application can do its work, for `/readyz`.
    public enum Readiness: Sendable {
        /// It can.
        case ready
        /// It cannot; `/readyz` shows the reason.
        case notReady(String)
    }

    /// Whether it serves TLS.
    package let isEncrypted: Bool

    /// The port that Axiom's documentation and dashboards assume.
    public static let defaultPort = 9464

    private let server: HTTPServer
    /// Is reported at the start.
    private let advice: [String]
    private let report: @Sendable (String) -> Void
    private let security: SecurityMetrics?

    /// Creates an exporter, which does not listen yet.
    ///
    /// - Parameters:
    ///   - registry: What to serve. The exporter's own metrics (`axiom_exporter_*`) are registered here too.
    ///   - configuration: Where to listen; port 9464 of 127.0.0.1 by default. On an address other than loopback,
    ///     `allowedHosts` is required; it applies to every path.
    ///   - createdSeries: Whether a page in OpenMetrics 1.0 has a sample with the time of creation (`_created`, in seconds since
    ///     1970) for each counter and histogram. Off by default: it costs a line for each series.
    ///   - readiness: Called for every request of `/readyz`, on a network thread. It must not wait.
    ///   - onFailure: Receives a message for each failure while serving: a handler that threw, a collector that failed; and
    ///     at the start for a private key that everybody may read, and for credentials without TLS. Called on network
    ///     threads. By default messages are logged with the label `axiom.exporter`, at most ten a minute.
    /// - Throws: `MetricsError` if the registry has other metrics with the exporter's names.
    public convenience init(
        registry: Registry,
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(port: MetricsExporter.defaultPort),
        createdSeries: Bool = false,
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        onFailure: (@Sendable (String) -> Void)? = nil
    ) throws {
        try self.init(registry, configuration, createdSeries, readiness, onFailure, routes: [])
    }

    /// Creates an exporter with additional routes.
    package init(
        _ registry: Registry,
        _ configuration: HTTPServerConfiguration,
        _ createdSeries: Bool,
        _ readiness: @escaping @Sendable () -> Readiness,
        _ onFailure: (@Sendable (String) -> Void)?,
        routes: [HTTPRoute]
    ) throws {
        let log = FailureLog()
        let report = onFailure ?? { log.add($0) }
        // Paths and errors have texts that a client chose.
        let onFailure: @Sendable (String) -> Void = { report($0.printable) }
        let metrics = try MetricsPage(registry, createdSeries: createdSeries, onProblem: onFailure)
        let routes =
            routes + [
                HTTPRoute.get("/metrics") { await metrics.response(to: $0) }.reserved(),
                HTTPRoute.immediate("/healthz") { _ in .text("ok\n") }.healthCheck(),
                HTTPRoute.immediate("/readyz") { _ in Self.response(to: readiness()) }.healthCheck(),
            ]
        advice = configuration.securityAdvice
        self.report = onFailure
        isEncrypted = configuration.tls != nil
        let isSecured = isEncrypted || configuration.authentication != nil
        let security =
            isSecured ? try SecurityMetrics(registry, hasCertificate: isEncrypted, onProblem: onFailure) : nil
        self.security = security
        server = try HTTPServer(
            configuration: configuration,
            routes: routes,
            onSecurity: { security?.record($0) },
            onFailure: { onFailure("\($0.method) \($0.path) failed: \($0.error)") }
        )
    }

    /// The port at which the exporter listens; nil if it does not.
    public var port: Int? {
        server.port
    }

    /// Starts to serve. Returns when connections are accepted.
    ///
    /// - Throws: `HTTPServerError` with the option or the address: a value out of range, an address in use, a missing
    ///   permission, an exporter that was stopped before.
    public func start() throws {
        try server.start()
        for sentence in advice { report(sentence) }
        if let expiry = server.certificateExpiry { security?.setExpiry(expiry) }
    }

    /// Reads the files of certificates now rather than at the next handshake, for operators who want to know at once
    /// whether new ones can be used. Does nothing without TLS, and before ``start()``. Reads up to three files.
    ///
    /// - Throws: `HTTPServerError` with code `invalidConfiguration`, the file and the remedy. The last good certificates stay
    ///   in use.
    public func reloadCertificates() throws {
        try server.reloadCertificates()
    }

    /// Stops accepting, waits for requests in flight, for `drainTimeout` at most, and closes. When it returns, the port is
    /// free.
    public func stop() async {
        await server.stop()
    }

    private static func response(to readiness: Readiness) -> HTTPResponse {
        switch readiness {
        case .ready: .text("ready\n")
        case .notReady(let reason): .text("not ready: \(reason)\n", status: .serviceUnavailable)
        }
    }
}
