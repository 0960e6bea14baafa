// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

// Actions pass, from the outside: the middleware of all clients, that of the client, the validation of the action, the
// circuit breakers, the client. Within each group, the middleware that was used first is the outermost.
extension Orchestrator {
    /// Puts a middleware around the actions of all clients. It sees which action runs, and never its payload. It can
    /// measure, delay or refuse an action, and cannot change it.
    ///
    /// Call it before ``start()``, which builds the chain of each client. A client without middleware pays nothing.
    public func use(_ middleware: some Middleware<ActionCall, Void>) {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware)
    }

    /// Puts a middleware around the actions of one client, inside that of all clients. It sees no payload.
    ///
    /// - Parameter client: The type that the client is registered as. ``start()`` throws if it is not registered.
    public func use<C: StatelessClient>(_ middleware: some Middleware<ActionCall, Void>, for client: C.Type) {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware, calls: client)
    }

    /// Puts a middleware around the actions of one client, inside all other middleware. It sees each action and its
    /// answer, and may pass on another one.
    ///
    /// - Parameter client: The type that the client is registered as. ``start()`` throws if it is not registered.
    public func use<C: StatelessClient, M: Middleware>(_ middleware: M, for client: C.Type)
    where M.Input == C.ActionType, M.Output == C.ActionType.Answer {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware, actions: client)
    }

    /// Whether the application does not run. Middleware that comes while it runs is too late: the error ends at the
    /// boundary of the orchestrator.
    private func mayUse<M: Middleware>(_ middleware: M) -> Bool {
        guard life.run != nil else { return true }
        let late = CompositionError(
            .wrongPhase,
            "The middleware \(M.self) was used after start().",
            "Use every middleware before start(), or after shutdown(): start() builds the chains."
        )
        Task.onMainActor { await end(late, in: identity.descriptor) }
        return false
    }
}
