// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// Middleware that declares the routes to which it redirects, so that `start()` finds circles.
package protocol RedirectingMiddleware<R>: Middleware
where Input == NavigationRequest<R>, Output == NavigationOutcome<R> {
    /// The routes of the flow.
    associatedtype R: Route

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

    private var samples: [CompositionError] { RouteValidator.mistakes(R.self).map(mistake) }

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
        guard let path = endlessPath(from: route) else { return nil }
        return mistake(
            "middleware redirects in a circle: \(Self.text(path))",
            "Let the route to which it redirects pass, as a sign-in screen passes its guard."
        )
    }

    /// A path of redirections that returns to a route or exceeds the limit; nil if all end.
    ///
    /// Follows all redirections one step at a time. Each step has a route once, so its cost grows with the number of
    /// routes, and not with that of the paths. Whatever the limit is, 1,001 redirections count as endless.
    private func endlessPath(from route: R) -> [R]? {
        let middleware = flow.middleware.compactMap { $0.step as? any RedirectingMiddleware<R> }
        var steps = [[route: route]]
        for _ in 0...min(max(0, flow.options.redirectLimit), 1_000) {
            var next: [R: R] = [:]
            for from in steps[steps.count - 1].keys {
                for to in middleware.compactMap({ $0.possibleRedirect(of: from) }) { next[to] = from }
            }
            if next.isEmpty { return nil }
            steps.append(next)
        }
        var path = steps[steps.count - 1].keys.prefix(1).map(\.self)
        for step in steps.dropFirst().reversed() { path.insert(step[path[0]] ?? route, at: 0) }
        let repetition = path.indices.first { path[..<$0].contains(path[$0]) }
        return Array(path[...(repetition ?? path.count - 1)])
    }

    /// The path, without its middle if it is long.
    private static func text(_ path: [R]) -> String {
        let all = path.map { "\($0)".prefix(80) }
        let shown = all.count <= 12 ? all : all.prefix(9) + ["…"] + all.suffix(2)
        return shown.joined(separator: " → ")
    }
}
