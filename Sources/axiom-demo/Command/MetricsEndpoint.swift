// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomExporter
internal import AxiomHTTP
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import Synchronization

/// What observes a run and where it can be looked at: the place at which an exporter is plugged in.
struct MetricsEndpoint: Sendable {
    /// What the orchestrator reports to.
    let instrumentation: any Instrumentation
    /// Begins to serve at a port of 127.0.0.1; returns the address to print.
    let start: @Sendable (_ port: Int) async throws -> String?
    /// Ends serving.
    let stop: @Sendable () async -> Void

    /// Observes nothing and serves nothing.
    static let none = MetricsEndpoint(instrumentation: NoInstrumentation(), start: { _ in nil }, stop: {})

    /// Observes with a ``Telemetry`` and serves what it measured.
    ///
    /// - Throws: What keeps the metrics from being registered.
    static func exporter() throws -> MetricsEndpoint {
        let telemetry = try Telemetry()
        let running = Mutex<Exporter?>(nil)
        return MetricsEndpoint(
            instrumentation: telemetry,
            start: { port in
                let exporter = try Exporter(
                    registry: telemetry.registry,
                    configuration: HTTPServerConfiguration(port: port),
                    onFailure: { StandardError.say($0) }
                )
                try exporter.start()
                running.withLock { $0 = exporter }
                return exporter.port.map { "http://127.0.0.1:\($0)/ and /metrics" }
            },
            stop: { await running.withLock { $0 }?.stop() }
        )
    }
}
