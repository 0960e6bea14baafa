// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A small HTTP/1.1 server for metrics, dashboards and health checks.
///
/// ```swift
/// let server = try HTTPServer(
///     configuration: HTTPServerConfiguration(port: 9464),
///     routes: [
///         .get("/healthz") { _ in .text("ok") },
///         .post("/orders", maximumBodyBytes: 16_384) { request in try await shop.order(request.body) },
///     ]
/// )
/// try server.start()
/// print("http://127.0.0.1:\(server.port ?? 0)/")
/// await server.stop()
/// ```
/// It serves plain HTTP unless the configuration has certificates; see ``HTTPServerConfiguration/tls``.
///
/// A running server that is released closes its connections without waiting for them. A handler that retains its own
/// server prevents that release.
package final class HTTPServer: Sendable {
    private enum State {
        case created
        case running(RunningServer)
        case stopping(Task<Void, Never>)
    }

    private let configuration: HTTPServerConfiguration
    private let router: HTTPRouter
    private let clock: TimeSource
    private let onSecurity: @Sendable (SecurityEvent) -> Void
    private let onFailure: @Sendable (HTTPFailure) -> Void
    /// Guards the state, which only moves forward.
    private let state = Lock(State.created)

    /// Creates a server, which does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: The address and the limits. ``start()`` validates them.
    ///   - routes: A method, a path and a handler each.
    ///   - clock: Measures the time of heads and the drain timeout. libmicrohttpd measures the idle timeout in real time.
    ///   - onSecurity: Receives reloads of certificates, and refused clients. Called on network threads; it should be quick.
    ///   - onFailure: Receives every request that was answered 500 because its handler threw or returned a response that
    ///     cannot be sent. Called on any thread; it should be quick.
    /// - Throws: ``HTTPServerError`` with code `invalidRoute` if two routes have the same method and match the same paths.
    package init(
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        routes: [HTTPRoute],
        clock: TimeSource = .live,
        onSecurity: @escaping @Sendable (SecurityEvent) -> Void = { _ in },
        onFailure: @escaping @Sendable (HTTPFailure) -> Void = { _ in }
    ) throws {
        router = try HTTPRouter(routes)
        self.configuration = configuration
        self.clock = clock
        self.onSecurity = onSecurity
        self.onFailure = onFailure
    }

    deinit {
        guard let running else { return }
        // On a task: the last reference may be released on a thread of the daemon, which cannot wait for itself.
        Task { await running.close() }
    }

    /// The port at which the server listens; nil if it does not.
    package var port: Int? { running?.port }

    /// How many requests are being handled.
    package var requestsInFlight: Int { running?.requestsInFlight ?? 0 }

    /// When the certificate of the server expires, in seconds since 1970; nil if the server does not run or has none.
    package var certificateExpiry: Int? { running?.certificates?.expiry }

    /// Reads the files of certificates now rather than at the next handshake. Does nothing if the server does not run or
    /// serves plain HTTP.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the file. The last good ones stay in use.
    package func reloadCertificates() throws(HTTPServerError) {
        try running?.certificates?.reload()
    }

    private var running: RunningServer? {
        state.withLock { state in
            if case .running(let running) = state { running } else { nil }
        }
    }

    /// Starts to listen and to serve. Returns when connections are accepted.
    ///
    /// - Throws: ``HTTPServerError``: `invalidConfiguration` with the option and its range, `addressInUse`,
    ///   `addressUnavailable` or `permissionDenied` with the address, `alreadyStarted`, `stopped` if the server was stopped
    ///   before (create a new one), or `systemFailure`.
    package func start() throws {
        try state.withLock { state in
            switch state {
            case .created:
                state = .running(
                    try RunningServer.start(
                        configuration,
                        router,
                        clock: clock,
                        onSecurity: onSecurity,
                        onFailure: onFailure
                    )
                )
            case .running: throw HTTPServerError(.alreadyStarted, "the server runs already")
            case .stopping: throw HTTPServerError(.stopped, "the server was stopped, which is final; make a new one")
            }
        }
    }

    /// Refuses new connections and requests, waits up to `drainTimeout` for the requests in flight, cancels the remaining
    /// ones, and closes everything. When it returns, the port is free and no further response is sent.
    ///
    /// A second call waits for the first one. Cancellation of the caller does not shorten the wait. A handler of the same
    /// server must not await it: it would wait for itself until the drain timeout.
    package func stop() async {
        let stopping = state.withLock { state in
            if case .stopping(let task) = state { return task }
            let running: RunningServer? = if case .running(let running) = state { running } else { nil }
            let task = Task { [clock, configuration] in
                guard let running else { return }
                await running.drain(clock, configuration.drainTimeout)
            }
            state = .stopping(task)
            return task
        }
        await stopping.value
    }
}

/// A request whose handler failed. The client receives only the status 500.
package struct HTTPFailure: Sendable {
    package let method: HTTPMethod
    /// The decoded path of the request.
    package let path: String
    /// What the handler threw, or an ``HTTPServerError`` with code `invalidResponse` for its response.
    package let error: any Error
}
