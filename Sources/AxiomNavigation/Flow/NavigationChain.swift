// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Synchronization

/// Names one middleware of a flow, for its removal.
public struct MiddlewareToken: Sendable, Hashable {
    let number: UInt64
}

/// The middleware of a flow, in its order.
struct NavigationChain<R: Route>: Sendable {
    typealias Step = @Sendable (NavigationRequest<R>) async throws -> NavigationOutcome<R>

    private(set) var steps: [(token: MiddlewareToken, middleware: any NavigationMiddleware<R>)] = []
    private var lastNumber: UInt64 = 0

    mutating func add(_ middleware: any NavigationMiddleware<R>) -> MiddlewareToken {
        lastNumber += 1
        let token = MiddlewareToken(number: lastNumber)
        steps.append((token, middleware))
        return token
    }

    mutating func remove(_ token: MiddlewareToken) {
        steps.removeAll { $0.token == token }
    }

    /// Passes a request through the middleware from `index` on, and then to `last`.
    func run(_ request: NavigationRequest<R>, from index: Int = 0, _ last: Step) async throws -> NavigationOutcome<R> {
        guard index < steps.count else { return try await last(request) }
        let middleware = steps[index].middleware
        let wasCalled = CallFlag()
        return try await withoutActuallyEscaping(last) { last in
            try await middleware.process(request) { request in
                guard wasCalled.raise() else {
                    throw NavigationError.nextCalledTwice("\(type(of: middleware))", request.route.identifier)
                }
                return try await run(request, from: index + 1, last)
            }
        }
    }
}

/// Whether `next` was called.
private final class CallFlag: Sendable {
    private let isRaised = Atomic(false)

    /// Whether this is the first call.
    func raise() -> Bool {
        !isRaised.exchange(true, ordering: .relaxed)
    }
}
