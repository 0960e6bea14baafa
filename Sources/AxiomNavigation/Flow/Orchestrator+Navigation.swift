// SPDX-License-Identifier: Apache-2.0

public import Axiom

extension Orchestrator {
    /// Makes a flow of navigation. Nothing is shown before its first navigation, or ``NavigationFlow/open()``.
    ///
    /// ```swift
    /// let flow = try orchestrator.navigation(ShopRoute.home) { route in
    ///     switch route {
    ///     case .home: .show(HomeView.self)
    ///     case .product(let id): .show(ProductView.self, id)
    ///     }
    /// } render: { outputs in
    ///     print(outputs.last ?? "")
    /// }
    /// ```
    /// Make it before `start()`, which checks its routes, and keep it as long as the application runs.
    ///
    /// - Parameters:
    ///   - root: The first route.
    ///   - options: Limits and rules.
    ///   - name: A label of metrics: `[a-zA-Z][a-zA-Z0-9_]*`, at most 64 characters. Each flow has its own.
    ///   - screen: Chooses the screen of a route. It is called when a screen is made, and by `start()` for each sample.
    ///   - render: Receives the output of the visible screens: the current one last, before it those that it covers as a
    ///     modal screen. It is called again when one of them changes, and with none at the end.
    /// - Throws: ``CompositionError`` if another flow has this name, or, while the application runs, if a route, a screen
    ///   or an option is invalid. Before that `start()` throws it.
    public func navigation<R: Route, Output>(
        _ root: R,
        _ options: NavigationOptions = NavigationOptions(),
        name: String = "main",
        screen: @escaping @MainActor (R) throws -> Screen<Output>,
        render: @escaping @MainActor ([Output]) -> Void
    ) throws -> NavigationFlow<R> {
        guard !extensions.all.contains(where: { ($0 as? any NamedFlow)?.name == name }) else {
            throw CompositionError(
                .registeredTwice,
                "There are two flows with the name \(name).",
                "Give each flow a name of its own: orchestrator.navigation(…, name: …)."
            )
        }
        let flow = NavigationFlow(root, options, name: name, self, screen: screen, render: render)
        try add(flow, under: NavigationFlow<R>.self)
        return flow
    }
}

/// A flow, without the type of its routes.
@MainActor
private protocol NamedFlow: AnyObject {
    var name: String { get }
}

extension NavigationFlow: NamedFlow {}

extension NavigationFlow: OrchestratorExtension {
    package func mistakes(contexts: Set<ObjectIdentifier>) -> [CompositionError] {
        FlowValidation(self, contexts: contexts).mistakes
    }

    package var warnings: [ArchitectureViolation] {
        R.samples.compactMap { route in
            guard case .modal = route.metadata.transition, route.metadata.requiresAuthentication else { return nil }
            return ArchitectureViolation(
                .modalAuthentication,
                "The route \(route.identifier) of the flow \(name) is modal and requires a signed-in user.",
                fix: "Push it, or make sure that the guard redirects before it is shown.",
                []
            )
        }
    }

    package func runBegan() {}

    package func runWillEnd() {
        queue.dropWaiting(.failure(NavigationError.flowEnded(name, "the application was shut down")))
    }

    package func runEnded() { end() }
}
