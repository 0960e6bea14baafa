// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A small HTTP/1.1 server for metrics, dashboards and health checks.
///
/// ```swift
/// let server = HTTPServer(configuration: .init(port: 9464), router: router)
/// try server.start()
/// print("http://127.0.0.1:\(server.port ?? 0)/")
/// await server.stop()
/// ```
/// It serves plain HTTP. Where others can reach it, put a reverse proxy that speaks TLS before it.
///
/// A server that is released while it runs closes its connections without waiting for them. A handler that holds its
/// own server keeps it from being released.
public final class HTTPServer: Sendable {
    private enum State {
        case created
        case running(Running)
        case stopping(Task<Void, Never>)
    }

    private struct Running: Sendable {
        let core: ServerCore
        let daemon: MicrohttpdDaemon
        let gate: ConnectionGate
    }

    /// What the server was made with.
    public let configuration: HTTPServerConfiguration
    private let router: HTTPRouter
    private let clock: TimeSource
    private let onFailure: @Sendable (HTTPFailure) -> Void
    /// Guards the life of the server: created, running, stopped, and never back.
    private let state = Lock(State.created)

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen and what to allow. Checked by ``start()``.
    ///   - router: The routes.
    ///   - clock: What the drain timeout is measured with. The idle timeout is measured by libmicrohttpd, in real time.
    ///   - onFailure: Told of every request that was answered 500 because its handler threw or answered something
    ///     that cannot be sent. Called on any thread; it should be quick.
    public init(
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        router: HTTPRouter,
        clock: TimeSource = .live,
        onFailure: @escaping @Sendable (HTTPFailure) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.router = router
        self.clock = clock
        self.onFailure = onFailure
    }

    deinit {
        guard case .running(let running) = state.withLock({ $0 }) else { return }
        // Not here: the last reference may be dropped on one of the daemon's threads, which cannot wait for itself.
        Task { await Self.close(running) }
    }

    /// The version of libmicrohttpd that serves, such as `0.9.75`, for build information.
    public static var libraryVersion: String { MicrohttpdVersion.running.description }

    /// The port at which the server listens, or `nil` when it does not.
    public var port: Int? {
        state.withLock { state in
            if case .running(let running) = state { running.core.port } else { nil }
        }
    }

    /// How many requests are being answered at this moment.
    public var requestsInFlight: Int {
        state.withLock { state in
            if case .running(let running) = state { running.core.registry.inFlight.count } else { 0 }
        }
    }

    /// Begins to listen and to serve; returns as soon as connections are accepted.
    ///
    /// - Throws: ``HTTPServerError``: `invalidConfiguration` naming the option and its range, `addressInUse`,
    ///   `addressUnavailable` or `permissionDenied` naming the address, `alreadyStarted`, `stopped` when the server
    ///   was stopped before (make a new one), or `systemFailure`.
    public func start() throws {
        try state.withLock { state in
            switch state {
            case .created: state = .running(try open())
            case .running: throw HTTPServerError(.alreadyStarted, "the server runs already")
            case .stopping: throw HTTPServerError(.stopped, "the server was stopped, which is final; make a new one")
            }
        }
    }

    /// Refuses new connections and requests, waits up to `drainTimeout` until the requests that have arrived whole are
    /// answered, cancels what is left, and closes everything. When it returns, the port is free and no handler's response will be sent any more.
    ///
    /// A second call waits for the first. Cancelling the calling task does not shorten the wait. Not to be awaited
    /// from a handler of the same server, which would wait for itself until the drain timeout.
    public func stop() async {
        let stopping = state.withLock { state in
            if case .stopping(let task) = state { return task }
            let running: Running? = if case .running(let running) = state { running } else { nil }
            let task = Task { [clock, configuration] in
                guard let running else { return }
                await Self.drain(running, clock, configuration.drainTimeout)
            }
            state = .stopping(task)
            return task
        }
        await stopping.value
    }

    private func open() throws -> Running {
        let address = try SocketAddress(configuredHost: configuration.host)
        try configuration.validate(for: address)
        try configuration.validate(descriptorLimit: HTTPServerConfiguration.descriptorLimit)
        let hosts = try HostPolicy(allowedHosts: configuration.allowedHosts)
        let wake = try GateWake()
        let registry = ExchangeRegistry()
        let socket = try ListenSocket(host: configuration.host, address: address, port: configuration.port)
        let port = socket.port
        let watcher: DisconnectWatcher
        do {
            watcher = try DisconnectWatcher { registry.peerDisconnected($0) }
        } catch {
            socket.closeIfOpen()
            throw error
        }
        let core = ServerCore(
            configuration: configuration,
            port: port,
            router: router,
            hosts: hosts,
            registry: registry,
            connections: OpenConnections(limits: configuration.limits, onPlace: { wake.signal() }),
            watcher: watcher,
            onFailure: onFailure
        )
        let daemon: MicrohttpdDaemon
        do {
            daemon = try MicrohttpdDaemon(core)
        } catch {
            socket.closeIfOpen()
            watcher.stop()
            throw error
        }
        let parts = ConnectionGate.Parts(
            configuration: configuration,
            connections: core.connections,
            reservedPaths: router.reservedPaths,
            serve: { daemon.serve($0, $1, $2) }
        )
        do {
            return Running(core: core, daemon: daemon, gate: try ConnectionGate(parts, socket, wake: wake))
        } catch {
            daemon.stop()
            watcher.stop()
            throw error
        }
    }

    private static func drain(_ running: Running, _ clock: TimeSource, _ timeout: Duration) async {
        let registry = running.core.registry
        registry.drain()
        await onThread { running.gate.stop() }
        let limit = Task {
            try await clock.sleep(for: timeout)
            registry.inFlight.giveUpWaiting()
        }
        await registry.inFlight.waitUntilEmpty()
        limit.cancel()
        await end(running)
    }

    private static func close(_ running: Running) async {
        running.core.registry.drain()
        await onThread { running.gate.stop() }
        await end(running)
    }

    private static func end(_ running: Running) async {
        running.core.registry.abandonAll()
        let connections = running.core.connections
        connections.hangUp()
        // A connection ends within a moment, unless an immediate handler holds its thread.
        let limit = Task {
            try await TimeSource.live.sleep(for: .seconds(1))
            connections.sockets.giveUpWaiting()
        }
        await connections.sockets.waitUntilEmpty()
        limit.cancel()
        await onThread {
            running.daemon.stop()
            running.core.watcher.stop()
        }
    }

    /// Does what waits for threads, which a task should not.
    private static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            WorkerThread.run {
                work()
                continuation.resume()
            }
        }
    }
}

extension HTTPServerConfiguration {
    fileprivate var limits: ConnectionTable.Limits {
        ConnectionTable.Limits(
            connections: connectionLimit,
            connectionsPerAddress: connectionLimitPerAddress,
            streams: streamLimit,
            bodyBytes: maximumUnsentBytes
        )
    }
}
