// SPDX-License-Identifier: Apache-2.0

extension Context {
    /// Asks the context to do something. Never throws: what ``handle(_:)`` throws is settled at ``errorBoundary``, as
    /// ``recovery(for:)`` says. Returns when that is done, retries included.
    ///
    /// When the presentation is unmounted, the action is cancelled, with the client calls and recoveries that it awaits;
    /// the task that called this is not. A context can still be sent actions while it disappears, which are cancelled
    /// when its `onDisappear()` has returned. After that an action is not handled: it counts as rejected, and an error
    /// with the code ``ErrorCode/contextDisappeared`` is kept in the history of ``errorBoundary`` and not shown. Work that
    /// must outlive the context is a client's, or runs in a task of its own.
    ///
    /// The action runs in a new task, which begins on the spot. That costs about 0.5 µs, and one more turn of the main
    /// actor if the action suspends.
    public func send(_ action: ActionType) async {
        await runtime.perform(action, by: self)
    }

    /// Applies every state of `client` to this context: first the current one, then each new one, in order.
    ///
    /// States that came while the main actor was busy arrive together, coalesced as ``StateStream`` says. What
    /// `apply` throws ends at ``errorBoundary``, and observation goes on. The task belongs to the context and never
    /// keeps it alive; it ends when the context disappears or is released, and does not begin after that.
    ///
    /// A subscription that fails is an error too. ``RecoveryStrategy/retry(attempts:backoff:budget:)`` subscribes again;
    /// with a strategy that does not, observation is over.
    ///
    /// - Parameter apply: Is given the context, so that it need not capture it: a closure that captures the context
    ///   would keep it alive until it disappears.
    public func observe<S: OwnedState, A: Action>(
        _ client: any Client<S, A>,
        _ apply: @escaping @MainActor (_ context: Self, _ state: S) throws -> Void
    ) {
        runtime.observe(client.stateStream, by: self, apply)
    }

    /// Where the errors of this context are settled. Observable.
    public var errorBoundary: ErrorBoundary {
        runtime.boundary
    }

    /// The context that owns this one; nil for the context of a presentation.
    public var upstreamContext: (any Context)? {
        runtime.upstreamContext
    }

    /// The contexts that this one owns, in the order in which they were made.
    public var downstreamContexts: [any Context] {
        runtime.downstreamContexts
    }

    /// The framework's side of this context.
    ///
    /// A context that stores another component's identity has none. The orchestrator refuses it as soon as its
    /// factory returns; what it does until then ends at a boundary of its own.
    var runtime: ContextRuntime {
        identity.contextRuntime ?? ContextRuntime(identity.descriptor, port: identity.port)
    }
}
