// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Testing

extension Exporter {
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

    /// Serves `registry` at a free port while `body` runs.
    static func serving(
        _ registry: Registry = Registry(),
        dashboard: DashboardOptions = DashboardOptions(),
        createdSeries: Bool = false,
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        reports: Journal<String> = Journal<String>(),
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await Exporter(
            registry: registry,
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: dashboard,
            createdSeries: createdSeries,
            readiness: readiness,
            onFailure: { reports.write($0) }
        ).serving(body)
    }
}
