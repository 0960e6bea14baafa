// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import Testing

/// Serves `routes` at a free port while `body` runs, and stops the server afterwards, also when `body` throws.
func withServer(
    _ routes: [HTTPRoute],
    _ configuration: HTTPServerConfiguration = .with { _ in },
    failures: Log<HTTPFailure> = Log(),
    _ body: (HTTPServer, Int) async throws -> Void
) async throws {
    let router = try HTTPRouter(routes)
    let server = HTTPServer(configuration: configuration, router: router, onFailure: { failures.append($0) })
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
        configuration.idleTimeout = .seconds(300)
        change(&configuration)
        return configuration
    }
}
