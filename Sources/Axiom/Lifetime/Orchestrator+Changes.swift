// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import Observation

extension Orchestrator {
    /// Replaces the capability, because permission or availability changed (rule 13), together with all capabilities
    /// that depend on it: these are terminated before it and initialised after it. A ``Configurable`` capability is not
    /// replaced when its configuration changed; see ``configure(_:_:)``.
    ///
    /// Changes that share a capability run one after the other, others concurrently. While a capability is being
    /// replaced, ``CapabilityRef/call(_:isolation:_:)`` throws. A change continues if the calling task is cancelled.
    ///
    /// The error of a failed change is settled like an error of the start: at ``errorBoundary``, with the strategy of
    /// ``recover(_:)``, and once. Within an operation of a context, or within a recovery, the boundary of that
    /// operation settles the error of the capability itself.
    ///
    /// - Parameter type: The capability's own type, or the type under which it was registered.
    /// - Throws: ``CapabilityError`` if the new instance cannot be initialised and no recovery replaced it; the
    ///   capability stays unavailable, and its dependents are degraded. Also if the application was shut down during
    ///   the change. The capability's own error if it refuses a configuration. ``LifecycleError`` if the caller is part
    ///   of a change that it would wait for, such as the capability's own ``Capability/initialize()``.
    ///   ``CompositionError`` if the orchestrator does not run or the type is not registered. `CancellationError` as
    ///   soon as the calling task is cancelled.
    public func capabilityChanged<C>(_ type: C.Type, _ change: CapabilityChange) async throws {
        let run = try expectRunning(for: "capabilityChanged")
        let components = Set(run.names.capabilities(type))
        guard !components.isEmpty else {
            throw CompositionError(
                .notRegistered,
                "The capability \(type) changed, but it is not registered.",
                "Name the type that was given to register(…), or the protocol it was registered as."
            )
        }
        try await carryOut(change, of: components, run, isNested: ErrorTrail.current != nil)
    }

    /// Carries out a change of `components`.
    ///
    /// - Parameter isNested: Whether the caller's operation settles the error of these components.
    /// - Throws: As ``capabilityChanged(_:_:)``.
    func carryOut(
        _ change: CapabilityChange,
        of components: Set<ComponentDescriptor>,
        _ run: Run,
        isNested: Bool
    ) async throws {
        let capabilities = run.capabilities
        try await self.change(components, capabilities, isNested: isNested) {
            try await capabilities.carryOut($0, because: change)
        }
    }

    /// Adds a change of `components` to the queue, and settles the failures that it returns.
    func change(
        _ components: Set<ComponentDescriptor>,
        _ capabilities: CapabilityLifecycle,
        isNested: Bool = ErrorTrail.current != nil,
        _ carryOut: @escaping @MainActor (CapabilityLifecycle.Change) async throws -> [CapabilityLifecycle.Failure]
    ) async throws {
        let queued: CapabilityLifecycle.Change
        do {
            queued = try capabilities.enqueue(components)
        } catch {
            port.reportDeadlock(of: error.origin ?? identity.descriptor)
            throw error
        }
        let answer = OneShot<Result<Void, any Error>>()
        Task.onMainActor {
            do {
                let failures = try await carryOut(queued)
                await self.settle(failures, of: components, capabilities, answer, isNested: isNested)
            } catch {
                answer.settle(.failure(error))
            }
        }
        let result = await answer.value(ifCancelled: .failure(CancellationError()))
        if Task.isCancelled { Turns.abandon(queued.turn) }
        try result.get()
    }

    /// Settles the failures of a change of `components`, and returns or throws the result for the caller.
    private func settle(
        _ failures: [CapabilityLifecycle.Failure],
        of components: Set<ComponentDescriptor>,
        _ capabilities: CapabilityLifecycle,
        _ answer: OneShot<Result<Void, any Error>>,
        isNested: Bool
    ) async {
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
    /// - Parameter recovers: Whether to try a recovery. False for a change that is part of a recovery, which would
    ///   never end.
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
        return await trail.run {
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

    /// Ends the error of a capability at the orchestrator, without a recovery.
    func end(_ failure: CapabilityLifecycle.Failure) async {
        await end(failure.error, in: failure.component)
    }
}

/// How much of an application's capabilities works, for a coordinated response: `orchestrator.degradation`. Observable.
///
/// Empty unless the application runs. Levels follow a report as soon as the main actor is free.
@MainActor
@Observable
public final class SystemDegradation {
    /// The report of each capability.
    public private(set) var capabilities: [ComponentDescriptor: CapabilityReport] = [:]

    /// The worst level of all capabilities; ``DegradationLevel/full`` if there are none.
    public private(set) var worst = DegradationLevel.full

    init() {}

    func update(_ next: [ComponentDescriptor: CapabilityReport]) {
        guard next != capabilities else { return }
        capabilities = next
        let level = next.values.map(\.level).max() ?? .full
        if level != worst { worst = level }
    }
}

extension Orchestrator {
    /// Follows the levels of the capabilities, and the permissions that the user decides on.
    func follow(_ run: Run) {
        run.capabilities.levelsChanged = { [weak capabilities = run.capabilities, degradation] in
            guard let capabilities, !capabilities.isStopping else { return }
            degradation.update(
                Dictionary(uniqueKeysWithValues: capabilities.order.map { ($0.descriptor, $0.condition) })
            )
        }
        for node in run.capabilities.nodes {
            let component = node.descriptor
            node.observePermissions { @MainActor [weak self, weak run] events in
                guard let self, let run else { return }
                await react(to: events, .capabilities([component]), run)
            }
        }
    }
}

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
