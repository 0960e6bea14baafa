// SPDX-License-Identifier: Apache-2.0

// What an application can do about errors that no context settled. Only an orchestrator makes these strategies, so that
// no context can ask for them: it propagates.
extension Orchestrator {
    /// Where errors are settled that contexts propagated, and those of optional capabilities and of clients at the
    /// start. Observable.
    public var errorBoundary: ErrorBoundary { supervisor.boundary }

    /// Says how to recover from the errors that reach ``errorBoundary``; unless told, each is shown there.
    ///
    /// ```swift
    /// orchestrator.recover { [unowned orchestrator] error in
    ///     switch error {
    ///     case is CapabilityError: orchestrator.systemReset().otherwise(orchestrator.partialShutdown())
    ///     default: orchestrator.diagnosticCollection { await log.write($0.description) }
    ///     }
    /// }
    /// ```
    public func recover(_ strategy: @escaping @MainActor (any Error) -> RecoveryStrategy) {
        supervisor.recovery = strategy
    }

    /// Terminates all capabilities and initialises new ones, in the order of their dependencies; then runs the failed
    /// operation again, where it can be. Whoever holds a ``CapabilityRef`` finds the new instances. What a
    /// ``partialShutdown()`` disabled stays disabled.
    ///
    /// A capability that cannot be initialised takes no other down with it: each such error ends here by itself.
    /// Leaves the error when a required capability cannot be initialised or the operation fails again.
    public func systemReset() -> RecoveryStrategy {
        RecoveryStrategy("system_reset") { [weak self] operation in
            guard let self, let capabilities = self.capabilities else { throw operation.error }
            try await self.finish(reset: try await capabilities.reset())
            if operation.canRun { try await operation.run() }
        }
    }

    /// Disables the capability or client in which the error arose and all capabilities and clients that depend on it,
    /// until the application is started again; the rest goes on.
    ///
    /// The clients are deactivated, contexts that ask for them get a ``ClientError``, and a ``CapabilityRef`` to one of
    /// the capabilities throws, also after a ``systemReset()``; ``capabilityChanged(_:_:)`` throws for it. A context that
    /// holds such a client already keeps it, without the capabilities.
    ///
    /// Leaves an error that arose in a context or in the orchestrator.
    public func partialShutdown() -> RecoveryStrategy {
        RecoveryStrategy("partial_shutdown") { [weak self] operation in
            guard let self, await self.disable(operation.origin, because: operation.error) else {
                throw operation.error
            }
        }
    }

    /// Goes on with nothing but the contexts in `kept`, when the person agrees: every other context refuses its actions
    /// with a ``ContextError``, until ``leaveEmergencyMode()``. Life cycle and observation go on, so that what is shown
    /// stays true.
    ///
    /// Leaves the error when the person does not agree.
    public func emergencyMode(
        keeping kept: [any Context.Type],
        consent: @escaping @MainActor @Sendable (any Error) async throws -> Bool
    ) -> RecoveryStrategy {
        let kept = Set(kept.map { ObjectIdentifier($0) })
        return RecoveryStrategy("emergency_mode") { [weak self] operation in
            guard try await consent(operation.error), let self else { throw operation.error }
            self.supervisor.kept = kept
        }
    }

    /// Whether the application runs in emergency mode.
    public var isInEmergencyMode: Bool { supervisor.kept != nil }

    /// Lets every context do again what it is asked.
    public func leaveEmergencyMode() {
        supervisor.kept = nil
    }

    /// Hands the state of the system to `deliver`, and leaves the error to what is put after it.
    public func diagnosticCollection(
        _ deliver: @escaping @MainActor @Sendable (Diagnostics) async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy(steps: [
            .effect("diagnostic_collection") { [weak self] operation in
                guard let self else { return }
                try await deliver(self.diagnostics(of: operation))
            }
        ])
    }
}

extension Orchestrator {
    /// Ends the errors of capabilities that a reset could not initialise.
    ///
    /// - Throws: ``CapabilityError`` for the first required one, which is not ended here.
    private func finish(reset failures: [CapabilityLifecycle.Failure]) async throws {
        let fatal = failures.firstIndex { $0.requirement == .required }
        for (index, failure) in failures.enumerated() where index != fatal { await end(failure) }
        guard let failure = fatal.map({ failures[$0] }) else { return }
        throw CapabilityError.initializationFailed(failure.component.name, cause: failure.error)
    }

    /// Disables `component` and what depends on it.
    ///
    /// - Returns: Whether it is something that can be disabled.
    private func disable(_ component: ComponentDescriptor, because error: any Error) async -> Bool {
        guard component.kind == .capability || component.kind == .client else { return false }
        let affected = graph.dependents(of: component)
        let ending = runningClients.filter { affected.contains($0.component) }
        // Before anything is waited for: nobody gets such a client any more, and a shutdown does not end it again.
        runningClients.removeAll { affected.contains($0.component) }
        for component in affected where component.kind == .client { clients.disable(component, because: error) }
        for running in ending.reversed() { await running.client.deactivate() }
        for failure in await capabilities?.disable(affected) ?? [] { await end(failure) }
        return true
    }
}
