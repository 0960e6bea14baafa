// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Testing

/// The failures that an exporter reported.
final class Reports: Sendable {
    private let storage = Lock<[String]>([])

    var all: [String] { storage.withLock { $0 } }

    func add(_ report: String) {
        storage.withLock { $0.append(report) }
    }
}

extension Exporter {
    /// Serves `registry` at a free port while `body` runs, and then stops, also if `body` throws.
    static func serving(
        _ registry: Registry = Registry(),
        readiness: @escaping @Sendable () -> Readiness = { .ready },
        reports: Reports = Reports(),
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let exporter = try Exporter(
            registry: registry,
            configuration: HTTPServerConfiguration(port: 0),
            readiness: readiness,
            onFailure: { reports.add($0) }
        )
        try exporter.start()
        let port = try #require(exporter.port)
        do {
            try await body(port)
        } catch {
            await exporter.stop()
            throw error
        }
        await exporter.stop()
    }
}
