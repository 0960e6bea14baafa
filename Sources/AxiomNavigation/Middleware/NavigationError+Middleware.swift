// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

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
