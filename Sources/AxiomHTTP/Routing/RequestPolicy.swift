// SPDX-License-Identifier: Apache-2.0

/// Decides on a request by its head: which route handles it, or which response refuses it.
struct RequestPolicy: Sendable {
    enum Decision: Sendable {
        case accept(HTTPRoute, [String: String], bodyLimit: Int)
        case refuse(HTTPResponse)
    }

    let router: HTTPRouter
    let hosts: HostPolicy
    /// The port at which the server listens.
    let port: Int
    let maximumBodyBytes: Int

    func decide(_ head: RequestHead) -> Decision {
        guard HTTPHeaders.isToken(head.method.rawValue.utf8) else { return .refuse(.malformedMethod) }
        if let refusal = head.framing.refusal { return .refuse(refusal) }
        let match = head.target.map { router.match(head.method, $0.segments) }
        if let refusal = refusal(ofHost: head, isForHealth: match?.isHealthCheck ?? false) { return .refuse(refusal) }
        guard let match else { return .refuse(.malformedTarget) }
        switch match {
        case .notFound: return .refuse(.text("Nothing is here.\n", status: .notFound))
        case .methodNotAllowed(let allowed): return .refuse(.methodNotAllowed(allowed))
        case .route(let route, let parameters):
            let limit = min(route.maximumBodyBytes, maximumBodyBytes)
            guard head.framing.contentLength ?? 0 <= limit else { return .refuse(.contentTooLarge(limit)) }
            return .accept(route, parameters, bodyLimit: limit)
        }
    }

    /// A health check answers any well-formed host: a supervisor names the address of a container or a pod, which the
    /// configuration cannot know.
    private func refusal(ofHost head: RequestHead, isForHealth: Bool) -> HTTPResponse? {
        let values = head.headers.values(of: "Host")
        guard values.count <= 1 else { return .secondHost }
        guard let host = values.first else {
            // Browsers always send it, so its absence is no DNS rebinding. HTTP/1.1 requires it all the same.
            if let authority = head.target?.authority, let refusal = refusal(of: authority, isForHealth) {
                return refusal
            }
            return head.isHTTP10 ? nil : .missingHost
        }
        guard let authority = head.target?.authority else { return refusal(of: host, isForHealth) }
        // RFC 9112 section 3.2.2 gives the target precedence. If the two differ, some reader was deceived.
        guard authority.lowercased() == host.lowercased() else {
            return .text("The Host header is not the host of the request target.\n", status: .badRequest)
        }
        return refusal(of: authority, isForHealth)
    }

    private func refusal(of host: String, _ isForHealth: Bool) -> HTTPResponse? {
        switch hosts.judge(host, port: port) {
        case .allowed: nil
        case .foreign: isForHealth ? nil : .foreignHost
        case .malformed: .text("The Host header is neither a name nor an address.\n", status: .badRequest)
        }
    }
}
