// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Middleware that declares the routes to which it redirects, so that `start()` finds circles.
public protocol RedirectingMiddleware<R>: NavigationMiddleware {
    /// The route to which it may redirect a request for `route`; nil if it never redirects it.
    func possibleRedirect(of route: R) -> R?
}

/// Checks the routes, the screens and the options of a flow. Makes no context.
@MainActor
struct FlowValidation<R: Route> {
    private let flow: NavigationFlow<R>
    private let contexts: Set<ObjectIdentifier>

    init(_ flow: NavigationFlow<R>, contexts: Set<ObjectIdentifier>) {
        self.flow = flow
        self.contexts = contexts
    }

    /// All mistakes, each once.
    var mistakes: [CompositionError] {
        names + options + samples + R.samples.flatMap(screen) + R.samples.compactMap(circle)
    }

    private func mistake(_ problem: String, _ remedy: String) -> CompositionError {
        CompositionError(.invalidFlow, "The flow \(flow.name): \(problem).", remedy)
    }

    private var names: [CompositionError] {
        let names =
            [("its name", flow.name)] + (flow.options.metricsName.map { [("its name in metrics", $0)] } ?? [])
        return names.compactMap { RouteValidator.mistake(inName: $0.1, as: $0.0) }.map(mistake)
    }

    private var options: [CompositionError] {
        let options = flow.options
        let limits = [
            ("historyLimit", options.historyLimit, 1), ("liveScreens", options.liveScreens, 1),
            ("redirectLimit", options.redirectLimit, 0), ("waitingLimit", options.waitingLimit, 0),
        ]
        return limits.filter { $0.1 < $0.2 }.map { name, value, least in
            mistake("NavigationOptions.\(name) is \(value)", "Set it to \(least) or more.")
        }
    }

    private var samples: [CompositionError] {
        RouteValidator.mistakes(R.self).map(mistake)
    }

    private func screen(of route: R) -> [CompositionError] {
        do {
            let context = try flow.contextOf(route)
            guard !contexts.contains(context.type) else { return [] }
            return [
                mistake(
                    "the screen of \(route.identifier) requires the context \(context.name), which is not registered",
                    "Register it before start(): orchestrator.register(\(context.name).self) { … }."
                )
            ]
        } catch {
            return [
                mistake("\(route.identifier) has no screen: \(error)", "Return a screen for each route in `screen`.")
            ]
        }
    }

    /// The error for redirections of a sample that do not end.
    private func circle(from route: R) -> CompositionError? {
        let middleware = flow.chain.steps.compactMap { $0.middleware as? any RedirectingMiddleware<R> }
        var search = RedirectSearch(middleware, limit: flow.options.redirectLimit)
        guard let path = search.endlessPath(from: route) else { return nil }
        return mistake(
            "middleware redirects in a circle: \(Self.text(path))",
            "Let the route to which it redirects pass, as a sign-in screen passes its guard."
        )
    }

    /// The path, without its middle if it is long.
    private static func text(_ path: [R]) -> String {
        let all = path.map { "\($0)".prefix(80) }
        let shown = all.count <= 12 ? all : all.prefix(9) + ["…"] + all.suffix(2)
        return shown.joined(separator: " → ")
    }
}

/// Follows the redirections of one route, depth first. Each route is followed once, so the cost grows with the number of
/// routes, and not with that of the paths.
@MainActor
private struct RedirectSearch<R: Route> {
    /// The longest path that is followed. A longer one counts as endless, whatever the limit of redirections is.
    private static var maximumLength: Int { 1_000 }

    private let middleware: [any RedirectingMiddleware<R>]
    private let limit: Int
    /// How many redirections follow the routes whose redirections end, at most.
    private var lengths: [R: Int] = [:]
    private var path: [R] = []

    init(_ middleware: [any RedirectingMiddleware<R>], limit: Int) {
        self.middleware = middleware
        self.limit = min(max(0, limit), Self.maximumLength)
    }

    /// A path of redirections that returns to a route or exceeds the limit; nil if all end.
    mutating func endlessPath(from route: R) -> [R]? {
        path.append(route)
        var longest = 0
        for next in middleware.compactMap({ $0.possibleRedirect(of: route) }) {
            if path.contains(next) || path.count > limit { return path + [next] }
            if let known = lengths[next] {
                guard path.count + known <= limit else { return path + [next] }
            } else if let endless = endlessPath(from: next) {
                return endless
            }
            longest = max(longest, 1 + lengths[next, default: 0])
        }
        lengths[route] = longest
        path.removeLast()
        return nil
    }
}
