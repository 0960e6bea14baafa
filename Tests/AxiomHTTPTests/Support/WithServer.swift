// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomTestSupport
import Testing

/// Serves `routes` at a free port while `body` runs, and stops the server afterwards, also when `body` throws.
func withServer(
    _ routes: [HTTPRoute],
    _ configuration: HTTPServerConfiguration = .with { _ in },
    failures: Journal<HTTPFailure> = Journal(),
    clock: TimeSource = .live,
    _ body: (HTTPServer, Int) async throws -> Void
) async throws {
    let server = try HTTPServer(
        configuration: configuration,
        routes: routes,
        clock: clock,
        onFailure: { failures.write($0) }
    )
    try server.start()
    let port = try #require(server.port)
    do {
        try await body(server, port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

extension HTTPServerConfiguration {
    /// The default configuration with a change, and with a patience that no busy machine exceeds: a test that is kept
    /// from its processor for half a minute must not be taken for a client that has gone.
    static func with(_ change: (inout HTTPServerConfiguration) -> Void) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration()
        (configuration.idleTimeout, configuration.headTimeout) = (.seconds(300), .seconds(300))
        change(&configuration)
        return configuration
    }
}

extension ManualTime {
    /// Waits while the clock of a server goes on by a second before each request: no client can see when a server notes
    /// that a head begins.
    func advance<Value: Sendable>(
        beside request: () async throws -> Void,
        until end: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let hasEnded = Event()
        let waiting = Task {
            defer { hasEnded.fire() }
            return try await end()
        }
        while hasEnded.count == 0 {
            advance(by: .seconds(1))
            try await request()
        }
        return try await waiting.value
    }
}
