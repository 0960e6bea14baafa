// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomExporter
internal import AxiomHTTP
internal import AxiomInstrumentation
internal import AxiomMetrics

/// What observes a run and where it can be looked at: the place at which an exporter is plugged in.
struct MetricsEndpoint: Sendable {
    /// What the orchestrator reports to.
    let instrumentation: any Instrumentation
    /// The same, where it measures.
    var telemetry: Telemetry?
    /// Begins to serve at a port of 127.0.0.1, ready while the orchestrator runs; returns the address without a path.
    let start: @Sendable (_ port: Int, _ orchestrator: Orchestrator) async throws -> String?
    /// Ends serving.
    let stop: @Sendable () async -> Void
    /// The dashboard as a page that needs no server; nil while nothing is served.
    var exportedPage: @Sendable () -> [UInt8]? = { nil }

    /// Observes nothing and serves nothing.
    static let none = MetricsEndpoint(instrumentation: NoInstrumentation(), start: { _, _ in nil }, stop: {})

    /// Observes with a ``Telemetry`` and serves what it measured.
    ///
    /// - Parameters:
    ///   - breakers: The circuit breakers that refuse calls.
    ///   - regressions: Whether durations are recorded and judged.
    ///   - dashboard: How the dashboard is served.
    /// - Throws: What keeps the metrics from being registered.
    static func exporter(
        _ breakers: [BreakerRule] = [],
        regressions: RegressionOptions? = nil,
        dashboard: DashboardOptions = DashboardOptions(name: "Axiom Demo Shop")
    ) throws -> MetricsEndpoint {
        let telemetry = try Telemetry(breakers: breakers, regressions: regressions, budgets: Shop.budgets)
        let running = Lock<Exporter?>(nil)
        return MetricsEndpoint(
            instrumentation: telemetry,
            telemetry: telemetry,
            start: { port, orchestrator in
                var configuration = HTTPServerConfiguration(port: port)
                // A client that does not read its answer must not hold the end of the process.
                configuration.drainTimeout = .seconds(1)
                let exporter = try Exporter(
                    telemetry: telemetry,
                    configuration: configuration,
                    dashboard: dashboard,
                    readiness: { orchestrator.isRunning ? .ready : .notReady("the application does not run") },
                    onFailure: { StandardError.say($0) }
                )
                try exporter.start()
                running.withLock { $0 = exporter }
                return exporter.port.map { "http://127.0.0.1:\($0)" }
            },
            stop: { await running.withLock { $0 }?.stop() },
            exportedPage: { running.withLock { $0 }?.dashboard.exportedPage() }
        )
    }

    /// Writes the dashboard as it is now, as a whole or not at all.
    ///
    /// - Throws: ``AtomicFile/Failure`` that names the path.
    func writePage(to path: String) throws {
        guard let page = exportedPage() else { return }
        try AtomicFile.write(page, to: path)
    }
}
