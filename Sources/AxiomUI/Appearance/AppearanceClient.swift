// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// Owns the appearance. Register it with ``Axiom/Orchestrator/registerAppearance(_:)``.
public actor AppearanceClient: Client, Component {
    /// Its identity.
    public nonisolated let identity: ComponentIdentity
    private let store: StateStore<Appearance>
    /// Makes the state of the store a value of the application.
    private let publish: @MainActor @Sendable (StateStore<Appearance>) -> Void

    init(
        _ scope: borrowing ClientScope,
        _ initial: Appearance,
        publish: @escaping @MainActor @Sendable (StateStore<Appearance>) -> Void
    ) {
        identity = scope.identity
        store = scope.store(initial)
        self.publish = publish
    }

    /// The current appearance.
    public var state: Appearance { store.state }

    /// The appearance and its changes. What stores the appearance subscribes here, and passes what it stored to
    /// ``Axiom/Orchestrator/registerAppearance(_:)`` at the next launch.
    public nonisolated var stateStream: StateStream<Appearance> { store.stream }

    /// Changes the appearance. When this returns, all contexts have the new value.
    ///
    /// - Throws: `ValidationError` if the value is not valid. The appearance is then unchanged.
    public func process(_ action: AppearanceAction) async throws {
        try store.update { try $0 = action.applied(to: $0) }
        await publish(store)
    }

    /// Makes the initial appearance a value of the application.
    public func activate() async { await publish(store) }
}

extension Orchestrator {
    /// Registers ``AppearanceClient`` and ``AppearanceContext``. Call it before `start()`.
    ///
    /// The value ``Appearance`` of the orchestrator then follows the client: read it in any context, and change it only
    /// through the client or the context.
    ///
    /// - Parameter initial: The appearance at the start, such as one that was stored.
    /// - Throws: `ValidationError` if it is not valid.
    public func registerAppearance(_ initial: Appearance = .fallback) throws(ValidationError) {
        try initial.validate()
        values[Appearance.self] = initial
        register(AppearanceClient.self) { [weak self] scope in
            AppearanceClient(scope, initial) { [weak self] store in
                // Read here and not in the client: if two changes arrive in another order, both publish the later one.
                self?.values[Appearance.self] = store.state
            }
        }
        register(AppearanceContext.self) { try AppearanceContext($0) }
    }
}
