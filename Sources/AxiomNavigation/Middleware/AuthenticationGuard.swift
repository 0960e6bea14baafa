// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import AxiomResilience

/// Redirects routes that require a signed-in user to the login route if there is none.
///
/// ```swift
/// let authentication = try AuthenticationGuard<ShopRoute> {
///     await session.isSignedIn
/// } login: { wanted in
///     .login(returnTo: wanted)
/// }
/// flow.addMiddleware(authentication)
/// ```
///
/// The guard reads ``RouteMetadata/requiresAuthentication``. The login route carries the wanted route. After the user has
/// signed in, the action of the login screen calls `try await navigator.replace(with: returnTo)`. The guard checks that
/// request as well, so a sign-in that failed stays on the login screen.
///
/// Each request asks again whether a user is signed in; nothing is remembered. The flow waits for the answer.
public struct AuthenticationGuard<R: Route>: Middleware, RedirectingMiddleware {
    private let isSignedIn: @Sendable () async throws -> Bool
    private let login: @Sendable (R) -> R

    /// Creates a guard, and checks the login route for each sample that requires authentication.
    ///
    /// - Parameters:
    ///   - isSignedIn: Whether a user is signed in. If it throws, the route is not shown and the flow throws a
    ///     `NavigationError` with the code `signInUnknown`. Called only for routes that require authentication.
    ///   - login: The login route that leads to `returnTo` after a sign-in. It must not require authentication.
    /// - Throws: `NavigationError` if the login route of a sample requires authentication; the message names both.
    public init(
        isSignedIn: @escaping @Sendable () async throws -> Bool,
        login: @escaping @Sendable (_ returnTo: R) -> R
    ) throws(NavigationError) {
        self.isSignedIn = isSignedIn
        self.login = login
        for sample in R.samples where sample.metadata.requiresAuthentication {
            _ = try loginRoute(for: sample)
        }
    }

    /// Passes the request on if its route requires no authentication or a user is signed in; otherwise redirects it.
    public nonisolated(nonsending) func process(
        _ request: NavigationRequest<R>,
        next: NavigationNext<R>
    ) async throws -> NavigationOutcome<R> {
        let route = request.route
        guard route.metadata.requiresAuthentication else { return try await next(request) }
        guard try await isUserSignedIn(for: route) else { return .redirected(to: try loginRoute(for: route)) }
        return try await next(request)
    }

    /// The login route for a route that requires authentication; nil for others.
    package func possibleRedirect(of route: R) -> R? {
        route.metadata.requiresAuthentication ? login(route) : nil
    }

    /// Fails closed: an error is never taken for a signed-in user.
    private func isUserSignedIn(for route: R) async throws -> Bool {
        do {
            return try await isSignedIn()
        } catch {
            if Cancellation.isIntended(error) { throw error }
            throw NavigationError.signInUnknown(route.identifier, cause: error)
        }
    }

    /// The samples do not cover every parameter, so the route is checked here too.
    private func loginRoute(for route: R) throws(NavigationError) -> R {
        let login = login(route)
        guard !login.metadata.requiresAuthentication else {
            throw .loginRequiresAuthentication(login.identifier, for: route.identifier)
        }
        return login
    }
}

extension NavigationError {
    /// The guard would redirect `route` to `login`, which requires a signed-in user as well.
    static func loginRequiresAuthentication(_ login: String, for route: String) -> Self {
        NavigationError(
            .loginRequiresAuthentication,
            "The authentication guard redirects the route \(route) to \(login), which requires authentication "
                + "itself and would be redirected again."
        )
    }

    /// `route` requires a signed-in user, and the check failed.
    static func signInUnknown(_ route: String, cause: any Error) -> Self {
        NavigationError(
            .signInUnknown,
            "The route \(route) requires a signed-in user, and whether there is one could not be determined: "
                + "\(String(clause: cause)).",
            cause: cause
        )
    }

    /// A loader, a limit or a use of a prefetcher is not valid.
    static func prefetch(_ problem: String) -> Self {
        NavigationError(.prefetchInvalid, "The prefetcher is not valid: \(problem.clause).")
    }
}
