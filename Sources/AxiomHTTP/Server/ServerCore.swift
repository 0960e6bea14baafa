// SPDX-License-Identifier: Apache-2.0

/// What all requests of a running server share.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let registry: ExchangeRegistry
    let connections: OpenConnections
    let watcher: DisconnectWatcher
    let port: Int
    private let router: HTTPRouter
    private let hosts: HostPolicy
    private let onFailure: @Sendable (HTTPFailure) -> Void

    init(
        configuration: HTTPServerConfiguration,
        port: Int,
        router: HTTPRouter,
        hosts: HostPolicy,
        registry: ExchangeRegistry,
        connections: OpenConnections,
        watcher: DisconnectWatcher,
        onFailure: @escaping @Sendable (HTTPFailure) -> Void
    ) {
        self.configuration = configuration
        self.port = port
        self.router = router
        self.hosts = hosts
        self.registry = registry
        self.connections = connections
        self.watcher = watcher
        self.onFailure = onFailure
    }

    /// Begins the exchange of a request whose first line has arrived.
    func open(_ connection: MicrohttpdConnection, target: RequestTarget?) -> Exchange {
        connections.set(connection.descriptor, .receiving)
        return registry.open { Exchange(id: $0, core: self, connection: connection, target: target) }
    }

    /// Decides on a request by its head alone.
    func admit(_ head: RequestHead) -> Admission {
        if let refusal = head.framing.refusal { return .refuse(refusal) }
        if let refusal = refusal(ofHost: head) { return .refuse(refusal) }
        guard let target = head.target else { return .refuse(.malformedTarget) }
        switch router.match(head.method, target.segments) {
        case .notFound: return .refuse(.text("Nothing is here.\n", status: .notFound))
        case .methodNotAllowed(let allowed): return .refuse(.methodNotAllowed(allowed))
        case .route(let route, let parameters):
            let limit = min(route.maximumBodyBytes, configuration.maximumBodyBytes)
            guard head.framing.contentLength ?? 0 <= limit else { return .refuse(.contentTooLarge(limit)) }
            return .accept(route, parameters, bodyLimit: limit)
        }
    }

    /// Tells the owner of the server what the client is not told.
    func report(_ error: any Error, method: HTTPMethod, path: String) {
        onFailure(HTTPFailure(method: method, path: path, error: error))
    }

    private func refusal(ofHost head: RequestHead) -> HTTPResponse? {
        let values = head.headers.values(of: "Host")
        guard values.count <= 1 else { return .text("The Host header occurs twice.\n", status: .badRequest) }
        guard let host = values.first else {
            // Browsers always send it, so its absence is no DNS rebinding; HTTP/1.1 demands it all the same.
            if let authority = head.target?.authority, !hosts.allows(authority, port: port) { return .foreignHost }
            return head.isHTTP10 ? nil : .text("The Host header is missing.\n", status: .badRequest)
        }
        guard let authority = head.target?.authority else {
            return hosts.allows(host, port: port) ? nil : .foreignHost
        }
        // RFC 9112 section 3.2.2 gives the target precedence; where the two differ, some reader was deceived.
        guard authority.lowercased() == host.lowercased() else {
            return .text("The Host header is not the host of the request target.\n", status: .badRequest)
        }
        return hosts.allows(authority, port: port) ? nil : .foreignHost
    }
}

/// What is to happen with a request, by its head.
enum Admission: Sendable {
    case accept(HTTPRoute, [String: String], bodyLimit: Int)
    case refuse(HTTPResponse)
}
