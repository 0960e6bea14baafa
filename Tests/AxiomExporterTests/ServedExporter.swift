// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Testing

/// An exporter that a test starts and stops.
protocol ServedExporter: Sendable {
    var port: Int? { get }
    func start() throws
    func stop() async
}

extension Exporter: ServedExporter {
    /// Serves a new telemetry at a free port while `body` runs.
    static func serving(
        dashboard: DashboardOptions = DashboardOptions(),
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await Exporter(
            telemetry: Telemetry(),
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: dashboard,
            readiness: readiness
        ).serving(body)
    }
}

extension MetricsExporter: ServedExporter {
    /// Serves `registry` at a free port while `body` runs.
    static func serving(
        _ registry: Registry,
        reports: Journal<String> = Journal<String>(),
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await MetricsExporter(
            registry: registry,
            configuration: HTTPServerConfiguration(port: 0),
            onFailure: { reports.write($0) }
        ).serving(body)
    }
}

extension ServedExporter {
    /// Serves at its port while `body` runs, and then stops, also if `body` throws.
    func serving(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try start()
        let port = try #require(port)
        do {
            try await body(port)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}
