// SPDX-License-Identifier: Apache-2.0

/// Domain logic behind an actor, without state of its own. There is one of each type in an orchestrator.
///
/// A client depends on capabilities only: its scope resolves nothing else.
public protocol StatelessClient<ActionType>: Actor {
    /// What the client can be asked to do.
    associatedtype ActionType: Action

    /// Does what `action` asks.
    ///
    /// Implement it as a function of the actor, as in the examples. The requirement is `nonisolated(nonsending)` so that
    /// what the framework puts before a client runs where the caller does: a call then enters the client's actor once,
    /// and calls of one task after the other enter it in that order. A `nonisolated` implementation is possible; in the
    /// instrumented build it is started from the client's actor.
    ///
    /// - Throws: What kept it from doing so. The context that asked is the boundary where the error ends.
    nonisolated(nonsending) func process(_ action: ActionType) async throws

    /// Called once, by ``Orchestrator/start()``, when all capabilities were initialised.
    ///
    /// - Throws: What keeps the client from working. The start goes on without it: the error is reported, and contexts
    ///   that ask for the client are told.
    func activate() async throws

    /// Called once, by ``Orchestrator/shutdown()``, when no context is left and before capabilities are terminated.
    func deactivate() async
}

extension StatelessClient {
    /// Nothing to do.
    public func activate() async throws {}

    /// Nothing to do.
    public func deactivate() async {}
}

/// Domain logic that owns one piece of state and publishes it.
///
/// Contexts hold clients as `any Client<State, Action>`: tests put a double there, the instrumented build its
/// wrapper. (Swift 6.3 crashes where such a value is passed as `any StatelessClient<Action>`; take it as it is.) A ``StateStore`` held by the actor does the publishing:
/// ```swift
/// actor CartClient: Client, Component {
///     nonisolated let identity: ComponentIdentity
///     private let store: StateStore<CartState>
///     init(_ scope: borrowing ClientScope) {
///         identity = scope.identity
///         store = scope.store(CartState())
///     }
///     var state: CartState { store.state }
///     nonisolated var stateStream: StateStream<CartState> { store.stream }
///     func process(_ action: CartAction) async throws { store.update { $0.items += 1 } }
/// }
/// ```
public protocol Client<StateType, ActionType>: StatelessClient {
    /// The state that this client, and no other, owns.
    associatedtype StateType: OwnedState

    /// The current state.
    var state: StateType { get async }

    /// A stream of states for any number of independent subscribers; each first receives the current state.
    nonisolated var stateStream: StateStream<StateType> { get }
}
