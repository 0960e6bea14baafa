// SPDX-License-Identifier: Apache-2.0

/// Domain logic behind an actor, without state of its own. An orchestrator has one instance of each type.
///
/// A client depends only on capabilities: its scope resolves nothing else.
public protocol StatelessClient<ActionType>: Actor {
    /// The actions of the client.
    associatedtype ActionType: Action

    /// Performs `action`.
    ///
    /// Implement it as a function of the actor, as in the examples. The requirement is `nonisolated(nonsending)` so
    /// that the framework's code in front of a client runs on the caller's actor. A call then enters the client's actor
    /// once, and successive calls of one task enter it in that order. A `nonisolated` implementation is possible; the
    /// instrumented build starts it from the client's actor.
    ///
    /// - Returns: The answer of the action; nothing for most actions. See ``Action/Answer``.
    /// - Throws: The error that stopped the action. It ends at the boundary of the context or of the request handler that
    ///   sent the action.
    @discardableResult
    nonisolated(nonsending) func process(_ action: ActionType) async throws -> ActionType.Answer

    /// Called once by ``Orchestrator/start()``, after all capabilities were initialised.
    ///
    /// - Throws: Any error that keeps the client from working. The start continues without the client: the error is
    ///   reported, and contexts that resolve the client get an error.
    func activate() async throws

    /// Called once by ``Orchestrator/shutdown()``, after all contexts have ended and before capabilities are
    /// terminated.
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
/// Contexts hold clients as `any Client<State, Action>`, so that tests can use a double and the instrumented build its
/// wrapper. (Swift 6.3 crashes if such a value is passed as `any StatelessClient<Action>`; pass it as it is.) A
/// ``StateStore`` in the actor publishes the state:
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

/// The type in which a context holds a client: `any Client<C.StateType, C.ActionType>`.
public typealias ClientOf<C: Client> = any Client<C.StateType, C.ActionType>
