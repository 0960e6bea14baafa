// SPDX-License-Identifier: Apache-2.0

internal import AxiomResilience

extension Context {
    /// Sends an action to the context. Never throws: errors of ``handle(_:)`` are handled at ``errorBoundary``, as
    /// ``recovery(for:)`` decides. Returns after that, including retries.
    ///
    /// When the presentation is unmounted, the action is cancelled, together with the client calls and recoveries that
    /// it awaits, unless ``outlivesContext(_:)`` excepts it. The task that called `send` is not cancelled. A context
    /// accepts actions while it disappears, and cancels them when its `onDisappear()` has returned. Later actions are
    /// not handled: they count as rejected, and the history of ``errorBoundary`` keeps an error with the code
    /// ``ErrorCode/contextDisappeared``, which is not shown. Other work that must outlive the context belongs in a
    /// client.
    ///
    /// The action runs in a new task, which starts immediately. This costs about 1.2 µs, and one more turn of the main
    /// actor if the action suspends.
    public func send(_ action: ActionType) async { await runtime.perform(action, by: self, nil) }

    /// Sends an action as ``send(_:)`` does, and throws the error because of which it did not succeed: for callers that
    /// owe an answer, such as a request handler of a server or a command line.
    ///
    /// The error has ended at a boundary and was counted, as with `send`. An error that a recovery mended is not
    /// thrown. A server answers through a ``RequestHandler``, which does not need the main actor.
    ///
    /// Cost: that of `send`.
    ///
    /// - Returns: The answer of ``handle(_:)``, or of the run that a recovery strategy repeated.
    /// - Throws: The error that ``handle(_:)`` threw; `CancellationError` if the action was cancelled, with the caller
    ///   or because the context disappeared; the refusal if the action was rejected, such as one with the code
    ///   ``ErrorCode/contextDisappeared``. If a recovery without an answer mended the error, such as
    ///   ``RecoveryStrategy/ignore``, and the action has one: the error of `handle`.
    @discardableResult
    public func request(_ action: ActionType) async throws -> ActionType.Answer {
        let answer = ContextAnswer<ActionType.Answer>()
        let end = await runtime.perform(action, by: self, answer)
        switch end.outcome {
        case .success: break
        case .cancelled: throw Cancellation.onPurpose
        case .failure, .rejected: throw end.error ?? ContextError.disappeared(identity.descriptor)
        }
        if let value = answer.value ?? (() as? ActionType.Answer) { return value }
        throw answer.error ?? ContextError.disappeared(identity.descriptor)
    }

    /// Applies every state of `client` to this context: first the current one, then each new one, in order.
    ///
    /// States that arrive while the main actor is busy are delivered together, coalesced as described in
    /// ``StateStream``. Errors of `apply` are handled at ``errorBoundary``, and observation continues. The task belongs
    /// to the context but does not keep it alive. It ends when the context disappears, is covered or is released, and
    /// does not start after that. A context that is uncovered observes again in its ``Context/onAppear()``.
    ///
    /// The failure of a subscription is handled in the same way. ``RecoveryStrategy/retry(attempts:backoff:budget:)``
    /// subscribes again; a strategy without a retry ends the observation.
    ///
    /// **Critical states.** A state is acknowledged once `apply` has returned or its error was handled. If the
    /// observation ends earlier, the context keeps the position, and its next observation of the same client begins
    /// with the critical states that are not acknowledged. The store keeps up to 1,000 of them. If it had to drop some,
    /// an error with the code ``ErrorCode/criticalStatesLost`` ends at ``errorBoundary``. A context whose presentation
    /// was unmounted keeps no position.
    ///
    /// - Parameter apply: Receives the context, so that it need not capture it. A closure that captures the context
    ///   keeps it alive until it disappears.
    public func observe<S: OwnedState, A: Action>(
        _ client: any Client<S, A>,
        _ apply: @escaping @MainActor (_ context: Self, _ state: S) throws -> Void
    ) {
        runtime.observe(client.stateStream, by: self, apply)
    }

    /// The boundary that handles the errors of this context. Observable.
    public var errorBoundary: ErrorBoundary { runtime.boundary }

    /// The context that owns this one; nil for the context of a presentation.
    public var upstreamContext: (any Context)? { runtime.upstream?.context }

    /// The contexts that this one owns, in the order of creation.
    public var downstreamContexts: [any Context] { runtime.downstream }

    /// The framework's part of this context.
    ///
    /// A context that stores another component's identity has none. The orchestrator rejects it as soon as its factory
    /// returns. Until then, its operations use a separate boundary.
    var runtime: ContextRuntime {
        identity.runtime as? ContextRuntime ?? ContextRuntime(identity.descriptor, port: identity.port)
    }

    /// The values of this context, which the orchestrator or a context above sets.
    public var values: ContextValues { ContextValues(runtime.values) }

    /// Whether a flag is on for `subject`, such as the id of a user.
    public func isEnabled(_ flag: FeatureFlag<Bool>, for subject: String? = nil) -> Bool {
        values[flag, for: subject]
    }

    /// Runs `body` inside the boundary of this context, which settles its error.
    package func contain(_ body: @escaping @MainActor @Sendable () async throws -> Void) async {
        await runtime.contain(body)
    }
}
