// SPDX-License-Identifier: Apache-2.0

/// The orchestrator's side of errors: its boundary, above that of every context.
@MainActor
final class Supervisor {
    let boundary: ErrorBoundary
    /// The recovery strategy for errors that reach this boundary.
    var recovery: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }
    /// What is under way, for tests.
    nonisolated let quiescence = Quiescence()
    /// Whether the application is in the background. Contexts that appear later read it.
    var isInBackground = false

    init(_ boundary: ErrorBoundary) {
        self.boundary = boundary
    }

    /// Settles an error that a context propagated, or one of a phase of the orchestrator itself.
    func settle(_ operation: FailedOperation) async -> ActionOutcome {
        operation.rise(to: boundary.descriptor)
        return await boundary.settle(operation, by: recovery(operation.error))
    }

    /// Settles an error of `component` that could not be thrown and has no operation to run again.
    func report(_ error: any Error, in component: ComponentDescriptor) async {
        _ = await settle(failure(error, in: component, again: nil))
    }

    /// Describes the failure of `component` in a phase of the orchestrator.
    func failure(
        _ error: any Error,
        in component: ComponentDescriptor,
        _ trail: ErrorTrail = ErrorTrail(),
        again: FailedOperation.Body?
    ) -> FailedOperation {
        FailedOperation(
            error,
            in: component,
            trail: trail,
            clock: boundary.port.clock,
            container: { [weak self] body in await self?.contain(body, in: component) ?? .rejected },
            body: again
        )
    }

    /// Runs the option that the user chose for an error, and settles the error that it throws.
    private func contain(
        _ body: @escaping FailedOperation.Body,
        in component: ComponentDescriptor
    ) async -> ActionOutcome {
        let trail = ErrorTrail()
        do {
            try await trail.run(body)
            return .success
        } catch {
            guard ActionOutcome(ofError: error) != .cancelled else { return .cancelled }
            return await settle(failure(error, in: component, trail, again: body))
        }
    }
}
