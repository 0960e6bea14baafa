// SPDX-License-Identifier: Apache-2.0

// Recovery strategies for errors that no context settled. Only an orchestrator makes them, so a context cannot use
// them: it propagates the error.
extension Orchestrator {
    /// The boundary for errors that contexts propagated, and for those of optional capabilities and of clients at the
    /// start. Observable.
    public var errorBoundary: ErrorBoundary { supervisor.boundary }

    /// Sets the recovery strategy for errors that reach ``errorBoundary``. The default shows each error there.
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

    /// Terminates all capabilities and initialises new ones, in the order of their dependencies, then runs the failed
    /// operation again if possible. Each existing ``CapabilityRef`` resolves to the new instances. Capabilities that a
    /// ``partialShutdown()`` disabled stay disabled.
    ///
    /// A capability that cannot be initialised does not affect the initialisation of others: each such error ends here
    /// separately. Does not recover the error if a required capability cannot be initialised or the operation fails
    /// again.
    public func systemReset() -> RecoveryStrategy {
        RecoveryStrategy("system_reset") { [weak self] operation in
            guard let self, let capabilities = self.capabilities else { throw operation.error }
            try await self.finish(reset: try await capabilities.reset())
            if operation.canRun { try await operation.run() }
        }
    }

    /// Disables the capability or client in which the error originated and all its dependent capabilities and clients,
    /// until the application is started again. The rest continues.
    ///
    /// The clients are deactivated; contexts that resolve them get a ``ClientError``. A ``CapabilityRef`` to one of the
    /// capabilities throws, also after a ``systemReset()``; ``capabilityChanged(_:_:)`` throws for it. A context that
    /// already holds such a client keeps it, without the capabilities.
    ///
    /// Does not recover an error that originated in a context or in the orchestrator.
    public func partialShutdown() -> RecoveryStrategy {
        RecoveryStrategy("partial_shutdown") { [weak self] operation in
            guard let self, await self.disable(operation.origin, because: operation.error) else {
                throw operation.error
            }
        }
    }

    /// Continues with only the contexts in `kept`, if the user consents. Every other context refuses its actions with a
    /// ``ContextError``, until ``leaveEmergencyMode()``. Life cycle and observation continue, so that what is shown
    /// stays correct.
    ///
    /// Does not recover the error if the user does not consent.
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

    /// Ends emergency mode: every context handles actions again.
    public func leaveEmergencyMode() {
        supervisor.kept = nil
    }

    /// Passes the state of the system to `deliver`, and leaves the error to the next step.
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
    /// - Throws: ``CapabilityError`` for the first required capability, whose error does not end here.
    private func finish(reset failures: [CapabilityLifecycle.Failure]) async throws {
        let fatal = failures.firstIndex { $0.requirement == .required }
        for (index, failure) in failures.enumerated() where index != fatal { await end(failure) }
        guard let failure = fatal.map({ failures[$0] }) else { return }
        throw CapabilityError.initializationFailed(failure.component.name, cause: failure.error)
    }

    /// Disables `component` and its dependents.
    ///
    /// - Returns: Whether a component of this kind can be disabled.
    private func disable(_ component: ComponentDescriptor, because error: any Error) async -> Bool {
        guard component.kind == .capability || component.kind == .client else { return false }
        // Nothing is left to disable after a shutdown.
        guard let run = life.run else { return true }
        let affected = graph.dependents(of: component)
        let ending = run.clients.filter { affected.contains($0.component) }
        // Before the first suspension: no context resolves such a client any more, and a shutdown does not end it
        // again.
        run.clients.removeAll { affected.contains($0.component) }
        for component in affected where component.kind == .client { clients.disable(component, because: error) }
        for registered in ending.reversed() {
            await run.hooks.removeValue(forKey: registered.component)?.close()
            if let client = registered.client { await deactivate(client, registered.component) }
        }
        for failure in await run.capabilities.disable(affected) { await end(failure) }
        return true
    }
}
