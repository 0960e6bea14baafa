// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The credentials of the request.
///
/// They are looked at when the head has arrived, so that the body of a request without credentials is not kept. A password
/// that must be checked with bcrypt is checked when the request is complete, while the connection is suspended.
extension Exchange {
    /// A password that is not checked yet.
    struct PendingPassword: Sendable {
        let authenticator: any RequestAuthenticator
        let user: String
        let password: [UInt8]
    }

    /// The decision on a request by its head and its credentials. On the connection's thread.
    func decide(_ head: RequestHead) -> RequestPolicy.Decision {
        let decision = core.policy.decide(head)
        guard let authenticator = core.security.authenticator, decision.needsCredentials,
            !(core.configuration.authentication?.exemptsHealthChecks == true && decision.route?.isHealthCheck == true)
        else { return decision }
        let acceptsToken = decision.route?.isReserved ?? false
        switch authenticator.decide(Credentials(head.headers), acceptsToken: acceptsToken) {
        case .accepted: return decision
        case .refused:
            core.security.onEvent(.credentialsRefused)
            return .refuse(authenticator.challenge)
        case .undecided(let user, let password):
            let pending = PendingPassword(authenticator: authenticator, user: user, password: password)
            state.withLock { $0.password = pending }
            return decision
        }
    }

    /// The same handler after the check of the request's password, if one is pending. Nil if none is.
    func checkingPassword(before handler: @escaping HTTPRoute.Handler) -> HTTPRoute.Handler? {
        let pending = state.withLock { state in
            defer { state.password = nil }
            return state.password
        }
        guard let pending else { return nil }
        let address = SocketAddress.network(of: SocketEnd.peer(of: connection.descriptor)?.host ?? "")
        return { [onEvent = core.security.onEvent] request in
            let verdict = await pending.authenticator.verify(
                user: pending.user,
                password: pending.password,
                from: address
            )
            switch verdict {
            case .accepted: return try await handler(request)
            case .busy: return .tooManyPasswords
            case .refused:
                onEvent(.credentialsRefused)
                return pending.authenticator.challenge
            }
        }
    }
}

extension RequestPolicy.Decision {
    /// The route of an accepted request.
    var route: HTTPRoute? { if case .accept(let route, _, _) = self { route } else { nil } }

    /// Whether the response depends on the routes, which are not revealed without credentials. A malformed request is
    /// refused in any case.
    fileprivate var needsCredentials: Bool {
        switch self {
        case .accept: true
        case .refuse(let response): [.notFound, .methodNotAllowed, .contentTooLarge].contains(response.status)
        }
    }
}
