// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension Orchestrator {
    /// Replaces the capability, because permission or availability changed (rule 13), together with all capabilities that
    /// depend on it: these are terminated before it and initialised after it. A ``ReconfigurableCapability`` whose
    /// configuration changed hears of it and stays.
    ///
    /// Changes that have a capability in common are carried out one after the other, others at the same time. While a
    /// capability is being replaced, ``CapabilityRef/current()`` throws. A change goes on when the calling task is
    /// cancelled.
    ///
    /// A change that fails is settled like an error of the start: at ``errorBoundary``, as ``recover(_:)`` says, and once.
    /// Within an operation of a context, or a recovery, the error of the capability itself is left to the boundary of
    /// that operation.
    ///
    /// - Parameter type: The capability's own type, or the type under which it was registered.
    /// - Throws: ``CapabilityError`` when the new instance cannot be initialised and no recovery replaced it; the
    ///   capability stays unavailable, and what depends on it is degraded. Also when the application was shut down
    ///   meanwhile, or a partial shutdown disabled the capability. What the capability throws when it refuses a
    ///   configuration. ``LifecycleError`` when the caller is a part of a change that it would wait for, such as
    ///   the capability's own ``Capability/initialize()``. ``CompositionError`` when the orchestrator does not run or
    ///   the type is not registered. `CancellationError` as soon as the calling task is cancelled.
    public func capabilityChanged<C>(_ type: C.Type, _ change: CapabilityChange) async throws {
        try expectRunning(for: "capabilityChanged")
        let components = Set(names.capabilities(type))
        guard !components.isEmpty, let capabilities else {
            throw CompositionError(
                .notRegistered,
                "The capability \(type) changed, but it is not registered.",
                "Name the type that was given to register(…), or the protocol it was registered as."
            )
        }
        let queued = try capabilities.enqueue(components)
        let answer = OneShot<Result<Void, any Error>>()
        Task {
            do {
                let failures = try await capabilities.carryOut(queued, because: change)
                await self.settle(failures, of: components, capabilities, answer)
            } catch {
                answer.settle(.failure(error))
            }
        }
        let result = await answer.value(ifCancelled: .failure(CancellationError()))
        if Task.isCancelled { Turns.abandon(queued.turn) }
        try result.get()
    }

    /// Settles what failed in a change of `components`, and answers the caller.
    private func settle(
        _ failures: [CapabilityLifecycle.Failure],
        of components: Set<ComponentDescriptor>,
        _ capabilities: CapabilityLifecycle,
        _ answer: OneShot<Result<Void, any Error>>
    ) async {
        let isNested = ErrorTrail.current != nil
        let own = failures.firstIndex { components.contains($0.component) && $0.phase != .termination }
        var left = failures
        let first = own.map { left.remove(at: $0) }
        for failure in left { await settle(changeOf: failure, capabilities, recovers: !isNested) }
        guard let first else {
            answer.settle(.success(()))
            return
        }
        let error = first.changeError
        if isNested, answer.settle(.failure(error)) { return }
        let last = await settle(changeOf: first, capabilities, recovers: !isNested)
        answer.settle(capabilities.works(components) && last == .success ? .success(()) : .failure(error))
    }

    /// Settles one failure of a change at the orchestrator's boundary.
    ///
    /// - Parameter recovers: Whether a recovery is tried. Not for a change that is a part of a recovery: that would not end.
    @discardableResult
    private func settle(
        changeOf failure: CapabilityLifecycle.Failure,
        _ capabilities: CapabilityLifecycle,
        recovers: Bool
    ) async -> ActionOutcome {
        let error = failure.changeError
        guard ActionOutcome(ofError: error) != .cancelled else { return .cancelled }
        let (trail, canRun) = (ErrorTrail(), failure.phase == .initialization)
        let again: FailedOperation.Body = { [weak self] in
            try await self?.ensure(failure, capabilities)
        }
        let operation = supervisor.failure(error, in: failure.component, trail, again: canRun ? again : nil)
        return await ErrorTrail.$current.withValue(trail) {
            if recovers { return await supervisor.settle(operation) }
            operation.rise(to: identity.descriptor)
            return await errorBoundary.settle(operation, by: .surface)
        }
    }

    /// Initialises a capability again that failed in a change.
    private func ensure(_ failure: CapabilityLifecycle.Failure, _ capabilities: CapabilityLifecycle) async throws {
        do {
            for other in try await capabilities.ensure(failure.component) { await end(other) }
        } catch {
            throw CapabilityLifecycle.Failure(
                component: failure.component,
                requirement: failure.requirement,
                error: error
            ).changeError
        }
    }

    /// Ends the error of a capability at the orchestrator, where nothing is left to try.
    func end(_ failure: CapabilityLifecycle.Failure) async {
        await end(failure.error, in: failure.component)
    }
}
