// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The state that all requests of a running server share.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let policy: RequestPolicy
    let registry: ExchangeRegistry
    let connections: OpenConnections
    let watcher: DisconnectWatcher
    let security: ServerSecurity
    /// Runs handlers and streams.
    let thread = HandlerThread(niceness: 10)
    /// Runs the handlers of reserved routes, which must not wait for those of other routes. Metrics are needed most when all
    /// processors are busy, so it has the priority of the application's threads.
    private let reservedThread = HandlerThread(niceness: 0)
    /// Nil for a libmicrohttpd that checks heads itself.
    let memory: ConnectionMemory?
    /// Of every response that does not have them.
    let responseHeaders: HTTPHeaders
    private let onFailure: @Sendable (HTTPFailure) -> Void

    init(
        configuration: HTTPServerConfiguration,
        policy: RequestPolicy,
        registry: ExchangeRegistry,
        connections: OpenConnections,
        watcher: DisconnectWatcher,
        security: ServerSecurity,
        onFailure: @escaping @Sendable (HTTPFailure) -> Void
    ) {
        self.configuration = configuration
        self.policy = policy
        self.registry = registry
        self.connections = connections
        self.watcher = watcher
        self.security = security
        memory =
            MicrohttpdVersion.running.layout == .zeroed
            ? ConnectionMemory(limit: MicrohttpdDaemon.memoryLimit(configuration)) : nil
        responseHeaders = HTTPHeaders(configuration.responseHeaders)
        self.onFailure = onFailure
    }

    /// Begins the exchange of a request whose request line has arrived.
    func open(_ connection: MicrohttpdConnection, target: RequestTarget?) -> Exchange {
        connections.set(connection.descriptor, .receiving)
        return registry.open { Exchange(id: $0, core: self, connection: connection, target: target) }
    }

    func thread(of route: HTTPRoute) -> HandlerThread { route.isReserved ? reservedThread : thread }

    /// Reports an error whose response to the client is a bare 500.
    func report(_ error: any Error, method: HTTPMethod, path: String) {
        onFailure(HTTPFailure(method: method, path: path, error: error))
    }
}

/// The certificates of a server and the credentials of its clients.
struct ServerSecurity: Sendable {
    /// Nil for plain HTTP.
    let certificates: (any ServerCertificates)?
    /// Nil if requests need no credentials.
    let authenticator: (any RequestAuthenticator)?
    let onEvent: @Sendable (SecurityEvent) -> Void

    /// Reads the files of certificates.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the option or the file.
    init(
        _ configuration: HTTPServerConfiguration,
        onEvent: @escaping @Sendable (SecurityEvent) -> Void
    ) throws(HTTPServerError) {
        self.onEvent = onEvent
        do {
            certificates = try configuration.tls.map { tls throws(TLSProblem) in
                try tls.library.certificates(tls, onEvent)
            }
        } catch {
            throw HTTPServerError(.invalidConfiguration, "tls: \(error.message)")
        }
        authenticator = try configuration.authentication.map { options throws(HTTPServerError) in
            try options.library.authenticator(options)
        }
    }
}

/// The current requests of a server.
final class ExchangeRegistry: Sendable {
    private enum Phase {
        case running
        /// No new requests; those in flight may end.
        case draining
        /// No request may wait any longer.
        case closing
    }

    private struct State {
        var phase = Phase.running
        var nextID: UInt64 = 0
        var exchanges: [UInt64: Exchange] = [:]
    }

    /// Guards every field. Neither is the lock of an exchange taken under it, nor it under that of an exchange.
    private let state = Lock(State())
    /// The requests that arrived completely while the server was running. An ID is inserted under the lock of the phase. A
    /// client that disconnects while it sends its body may stay unnoticed until the idle timeout, so a stop does not wait
    /// for bodies.
    let inFlight = DrainingSet<UInt64>()

    /// Whether connections stay open for another request.
    var acceptsConnections: Bool { state.withLock { $0.phase == .running } }

    /// Adds the exchange that `make` creates. In the last phase the exchange is abandoned at once, so that it never suspends.
    func open(_ make: (UInt64) -> Exchange) -> Exchange {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let exchange = make(id)
        let isLate = state.withLock { state in
            state.exchanges[id] = exchange
            return state.phase == .closing
        }
        if isLate { exchange.abandon() }
        return exchange
    }

    /// Counts a request as in flight; returns false if the server no longer takes any.
    func begin(_ id: UInt64) -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            inFlight.insert(id)
            return true
        }
    }

    /// Removes a request.
    func finish(_ id: UInt64) {
        let removed = state.withLock { $0.exchanges.removeValue(forKey: id) }
        withExtendedLifetime(removed) { inFlight.remove(id) }
    }

    /// Something happened at the socket of a request whose connection is suspended.
    func receiveEvent(_ id: UInt64, hasEnded: Bool) {
        state.withLock { $0.exchanges[id] }?.receiveEvent(hasEnded: hasEnded)
    }

    /// Responds to a request that libmicrohttpd is about to refuse, if its framing is malformed. libmicrohttpd does not name
    /// the request, which is one of the calling thread's. Another one of that thread whose framing is malformed would be
    /// refused when the rest of its head has arrived.
    func refuseMalformedFraming() {
        let thread = pthread_self()
        let own = state.withLock { $0.exchanges.values.filter { $0.thread == thread } }
        for exchange in own { exchange.refuseMalformedFraming() }
    }

    /// Accepts no more requests.
    func drain() {
        state.withLock { $0.phase = .draining }
    }

    /// Abandons every request. No connection is suspended after this call.
    func abandonAll() {
        let exchanges = state.withLock { state in
            state.phase = .closing
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.abandon() }
        inFlight.giveUpWaiting()
    }
}
