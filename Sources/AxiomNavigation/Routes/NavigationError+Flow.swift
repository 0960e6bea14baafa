// SPDX-License-Identifier: Apache-2.0

package import Axiom

extension NavigationError {
    /// - Parameter path: The requested route and the routes to which it was redirected, as text.
    package static func redirectCircle(_ path: [String]) -> Self {
        NavigationError(.redirectCircle, "Middleware redirects in a circle: \(path.joined(separator: " → ")).")
    }

    package static func tooManyRedirects(_ path: [String], limit: Int) -> Self {
        NavigationError(
            .tooManyRedirects,
            "The request was redirected more than \(limit) times: \(path.joined(separator: " → "))."
        )
    }

    package static func historyFull(_ route: String, limit: Int) -> Self {
        NavigationError(
            .historyFull,
            "\(route) was not shown: the history would exceed NavigationOptions.historyLimit, which is \(limit)."
        )
    }

    package static func waitsForItself(_ flow: String, _ cycle: WaitCycle) -> Self {
        NavigationError(
            .navigationWaitsForItself,
            "A transition of the flow \(flow) would wait for itself: \(cycle)."
        )
    }

    /// - Parameter route: The route that the middleware handled.
    package static func nextCalledTwice(_ route: String) -> Self {
        NavigationError(
            .nextCalledTwice,
            "A middleware called next twice for \(route), although a transition was made."
        )
    }

    /// - Parameter reason: A clause, as in `the application was shut down`.
    package static func flowEnded(_ flow: String, _ reason: String) -> Self {
        NavigationError(.flowEnded, "The flow \(flow) shows no routes: \(reason).")
    }

    package static let emptyHistory = NavigationError(
        .emptyHistory,
        "A flow cannot be reset to a history without routes."
    )

    package static func routeInHistory(_ route: String) -> Self {
        NavigationError(.routeInHistory, "\(route) is in the history already.")
    }
}
