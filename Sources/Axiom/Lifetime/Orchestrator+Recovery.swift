// SPDX-License-Identifier: Apache-2.0

// Recovery of errors that no context settled.
extension Orchestrator {
    /// The boundary for errors that contexts propagated, and for those of optional capabilities and of clients at the
    /// start. Observable.
    public var errorBoundary: ErrorBoundary { supervisor.boundary }

    /// Sets the recovery strategy for errors that reach ``errorBoundary``. The default shows each error there.
    ///
    /// ```swift
    /// orchestrator.recover { [unowned orchestrator] error in
    ///     guard error is CapabilityError else { return .surface }
    ///     return RecoveryStrategy("replace_network") { operation in
    ///         try await orchestrator.capabilityChanged(HTTPNetwork.self, .serviceRestored)
    ///         try await operation.run()
    ///     }
    /// }
    /// ```
    public func recover(_ strategy: @escaping @MainActor (any Error) -> RecoveryStrategy) {
        supervisor.recovery = strategy
    }
}
