// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ContextRuntime {
    /// The context, for an operation that runs again. Throws ``ContextError`` if it was released or has disappeared.
    static func present<C>(_ context: C?, _ descriptor: ComponentDescriptor) throws -> C {
        guard let context, (context as? any Context)?.runtime.isGone != true else {
            throw ContextError.gone(descriptor)
        }
        return context
    }

    /// Runs one phase of the life cycle inside the boundary.
    @discardableResult
    func run(
        _ phase: LifecyclePhase,
        _ context: any Context,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> ActionOutcome {
        let operation = reporter?.begin(.phase(phase), of: context.identity.id, port.clock)
        let tap = supervisor?.quiescence.tap
        tap?.began(phase, of: context)
        defer { tap?.ended(phase, of: context) }
        // The context's disappearance cancels its other operations, but not its last phase.
        let end =
            phase == .disappear
            ? await tell(phase, context, operation, body)
            : await inTask(operation) { await self.tell(phase, context, operation, body) }
        operation?.end(end, port.clock)
        return end.outcome
    }

    private func tell(
        _ phase: LifecyclePhase,
        _ context: any Context,
        _ operation: ContextOperation?,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> OperationEnd {
        await contain(operation) {
            try await within(phase) { try await body(context) }
        } again: { [weak context] in
            { [weak self, weak context, descriptor] in
                let context = try Self.present(context, descriptor)
                try await self?.within(phase) { try await body(context) }
            }
        }
    }

    /// Runs one phase of the life cycle within its limit.
    ///
    /// If `onDisappear()` exceeds its limit, the error goes to the orchestrator's boundary, because the user no longer
    /// sees the context. It is not retried.
    private func within(
        _ phase: LifecyclePhase,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        guard let turn = phase.turn else { return try await body() }
        let limit = port.limit(turn, of: descriptor)
        do {
            try await withLimit(limit, body)
        } catch let error as LifecycleError where phase == .disappear && error.isExpiry(of: limit.subject) {
            guard let supervisor else { throw error }
            _ = await supervisor.settle(supervisor.failure(error, in: descriptor, again: nil))
        }
    }

    /// Runs `body`. Settles the error that it throws and the errors that could not be thrown; one of the latter turns a
    /// success into a failure.
    ///
    /// - Parameters:
    ///   - operation: The operation; nil if it is not observed.
    ///   - again: Creates the closure that runs `body` again. Called only if `body` threw, so that a success allocates
    ///     nothing.
    private func contain(
        _ operation: ContextOperation?,
        _ body: () async throws -> Void,
        again: () -> FailedOperation.Body
    ) async -> OperationEnd {
        let trail = ErrorTrail(collectsFaults: true, operation: operation?.recorded)
        var end = OperationEnd.success
        do {
            try await trail.run(body)
        } catch {
            end = OperationEnd(await settle(error, trail, again: again()), error)
        }
        return await settle(trail.takeFaults(), trail, after: end)
    }

    /// Settles the errors that could not be thrown. One of them turns a success into a failure.
    func settle(_ faults: [any Error], _ trail: ErrorTrail, after end: OperationEnd) async -> OperationEnd {
        var end = end
        for fault in faults {
            let settled = await settle(fault, trail, again: nil)
            if end.outcome == .success { end = OperationEnd(settled, fault) }
        }
        return end
    }

    /// Runs the option that the user chose for an error, inside the boundary.
    @discardableResult
    func contain(_ body: @escaping FailedOperation.Body) async -> ActionOutcome {
        await contain(nil, body, again: { body }).outcome
    }

    /// Reports the duration of an operation that began at `start`.
    func report(_ operation: ComponentOperation, since start: Instant) {
        reporter?.operationEnded(operation, since: start, port.clock)
    }

    /// Reports the duration of a synchronous phase that began at `start`.
    func report(_ phase: LifecyclePhase, since start: Instant) {
        reporter?.phaseEnded(phase, since: start, port.clock, instance: context?.identity.id ?? 0)
    }
}

extension LifecyclePhase {
    /// The operation whose limit applies; nil for a phase that does not call the context.
    fileprivate var turn: TurnOperation? {
        switch self {
        case .appear: .appear
        case .disappear: .disappear
        case .background: .background
        case .foreground: .foreground
        case .create, .render: nil
        }
    }
}
