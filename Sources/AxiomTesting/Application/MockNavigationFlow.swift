// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
public import AxiomNavigation
public import Testing

/// A flow for tests of contexts that navigate: it records the requests, and shows empty screens.
///
/// ```swift
/// let flow = try app.navigation(ShopRoute.home)
/// let cart = try await app.context(CartContext.self)
/// await cart.send(.checkout)
/// flow.expectRequests(.payment)
/// ```
/// Requests that the test does not assert are failures at the end of an exhaustive test. It is the production flow, so a
/// request changes its history; a way back is not a request.
@MainActor
public final class MockNavigationFlow<R: Route> {
    /// The flow of the production engine.
    public let flow: NavigationFlow<R>
    private let recorder = RequestRecorder<R>()
    private let failures: FailureRecorder
    private var asserted = 0

    init(_ root: R, _ app: TestOrchestrator) throws {
        failures = app.failures
        app.orchestrator.register(EmptyContext.self) { EmptyContext($0) }
        flow = try app.orchestrator.navigation(root) { _ in
            .show(EmptyScreen.self)
        } render: { _ in
        }
        app.startHooks.append { [flow, recorder] in
            _ = try await flow.open()
            flow.addMiddleware(recorder)
        }
        app.endChecks.append { [weak self] in self?.checkEnd(at: $0) }
    }

    /// All requests, the first one first.
    public var requests: [NavigationRequest<R>] { recorder.requests }
    /// The history, the root first and the current route last.
    public var routes: [R] { flow.routes }

    /// Refuses the next requests, until ``accept()``.
    public func refuse(because reason: String) { recorder.set { _ in .refused(reason: reason) } }

    /// Redirects the next requests for other routes to `route`, until ``accept()``.
    public func redirect(to route: R) { recorder.set { $0.route == route ? nil : .redirected(to: route) } }

    /// Lets the next requests throw, until ``accept()``.
    public func fail(with error: any Error) { recorder.set { _ in throw error } }

    /// Accepts the next requests, as at the beginning.
    public func accept() { recorder.set(nil) }

    /// Compares the requested routes since the last call.
    ///
    /// - Parameter routes: All of them, in order.
    public func expectRequests(_ routes: R..., sourceLocation location: SourceLocation = #_sourceLocation) {
        let actual = takeRoutes()
        guard actual != routes else { return }
        let text = difference(expected: routes, actual: actual)
        failures.fail("Other routes were requested than expected:\n\n\(text)", at: location)
    }

    private func takeRoutes() -> [R] {
        let all = requests
        defer { asserted = all.count }
        return all[asserted...].map(\.route)
    }

    private func checkEnd(at location: SourceLocation) {
        let routes = takeRoutes()
        guard !routes.isEmpty else { return }
        let list = routes.map { "\($0)" }.joined(separator: ", ")
        failures.unasserted("The test does not assert the requested routes: \(list).", at: location)
    }
}

extension TestOrchestrator {
    /// Makes a flow that records requests, for contexts that resolve a navigator. Call it before the start, once.
    ///
    /// - Parameter root: The first route.
    /// - Throws: As `Orchestrator.navigation`.
    public func navigation<R: Route>(_ root: R) throws -> MockNavigationFlow<R> {
        try MockNavigationFlow(root, self)
    }
}

/// Records the requests of a flow, and answers them.
private final class RequestRecorder<R: Route>: Middleware {
    typealias Answer = @Sendable (NavigationRequest<R>) throws -> NavigationOutcome<R>?

    private let state = Lock<(requests: [NavigationRequest<R>], answer: Answer?)>(([], nil))

    var requests: [NavigationRequest<R>] { state.withLock { $0.requests } }

    func set(_ answer: Answer?) { state.withLock { $0.answer = answer } }

    nonisolated(nonsending) func process(
        _ request: NavigationRequest<R>,
        next: NavigationNext<R>
    ) async throws -> NavigationOutcome<R> {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        if let outcome = try answer?(request) { return outcome }
        return try await next(request)
    }
}

/// The context of a screen that shows nothing.
@MainActor
final class EmptyContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }
}

private struct EmptyScreen: Presentation {
    let context: EmptyContext
    var body: Void { () }
}
