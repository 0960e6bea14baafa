// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A context's access to a flow: it requests, and the flow decides.
///
/// ```swift
/// init(_ scope: borrowing ContextScope) throws {
///     identity = scope.identity
///     navigator = try scope.navigator(ShopRoute.self)
/// }
/// ```
/// It does not keep the flow alive.
public struct Navigator<R: Route>: Sendable {
    private weak let flow: NavigationFlow<R>?
    private let name: String

    @MainActor
    package init(_ flow: NavigationFlow<R>) {
        self.flow = flow
        name = flow.name
    }

    /// Requests a route.
    ///
    /// - Returns: The outcome of the request.
    /// - Throws: As ``NavigationFlow/navigate(to:from:)``; ``NavigationError`` if the application released the flow.
    @MainActor
    @discardableResult
    public func request(_ route: R, from source: NavigationSource = .user) async throws -> NavigationOutcome<R> {
        try await found().navigate(to: route, from: source)
    }

    /// Requests a route in place of the current one, as a login screen does after the sign-in.
    ///
    /// - Throws: As ``request(_:from:)``.
    @MainActor
    @discardableResult
    public func replace(with route: R) async throws -> NavigationOutcome<R> {
        try await found().replaceCurrent(with: route)
    }

    /// Requests to go back.
    ///
    /// - Throws: As ``NavigationFlow/navigateBack(_:)``; ``NavigationError`` if the application released the flow.
    @MainActor
    @discardableResult
    public func back(_ count: Int = 1) async throws -> NavigationOutcome<R> {
        try await found().navigateBack(count)
    }

    /// Requests to go back to the root.
    ///
    /// - Throws: As ``back(_:)``.
    @MainActor
    @discardableResult
    public func toRoot() async throws -> NavigationOutcome<R> { try await found().navigateToRoot() }

    @MainActor
    private func found() throws -> NavigationFlow<R> {
        guard let flow else { throw NavigationError.flowEnded(name, "the application released it") }
        return flow
    }
}

extension ContextScope {
    /// Access to the flow of these routes. Only contexts have it: neither capabilities nor clients navigate.
    ///
    /// - Parameter name: The name of the flow; nil if there is one flow of these routes.
    /// - Throws: ``CompositionError`` if there is no such flow, or several.
    @MainActor
    public func navigator<R: Route>(_ type: R.Type, flow name: String? = nil) throws -> Navigator<R> {
        let all = extensions.all(under: NavigationFlow<R>.self).compactMap { $0 as? NavigationFlow<R> }
        let found = all.filter { name == nil || $0.name == name }
        if let flow = found.first, found.count == 1 { return Navigator(flow) }
        guard found.isEmpty else {
            throw CompositionError(
                .invalidFlow,
                "The \(identity.descriptor) requires the flow of \(type), but there are \(found.count).",
                "Name one of them: scope.navigator(\(type).self, flow: \"\(found[0].name)\")."
            )
        }
        throw CompositionError(
            .notRegistered,
            "The \(identity.descriptor) requires a flow of \(type)\(name.map { " named \($0)" } ?? ""), and there is none.",
            "Make it before start(), and keep it: flow = try orchestrator.navigation(…)."
        )
    }
}

extension RecoveryStrategy {
    /// Navigates to a fallback destination, such as the sign-in screen after an ``AuthorizationError``.
    ///
    /// If the flow refuses the request or fails, the boundary keeps a ``NavigationError`` beside the error.
    ///
    /// - Parameters:
    ///   - route: The destination. It should need no data and no permission.
    ///   - navigator: The flow, from the scope of the context.
    public static func navigate<R: Route>(to route: R, with navigator: Navigator<R>) -> RecoveryStrategy {
        .navigate {
            let outcome = try await navigator.request(route, from: .recovery)
            if case .refused(let reason) = outcome {
                throw RefusedFallback(description: "the flow refused it: \(reason)")
            }
        }
    }
}

/// The cause of a fallback that was refused.
private struct RefusedFallback: Error, CustomStringConvertible {
    let description: String
}
