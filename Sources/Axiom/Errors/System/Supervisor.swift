// SPDX-License-Identifier: Apache-2.0

/// The orchestrator's side of errors: its boundary, above that of every context, and what may run in emergency mode.
@MainActor
final class Supervisor {
    let boundary: ErrorBoundary
    /// How to recover from what arrives here.
    var recovery: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }
    /// The context types that emergency mode keeps; nil while there is no emergency.
    var kept: Set<ObjectIdentifier>?
    /// Whether the application is in the background, for contexts that appear later.
    var isInBackground = false

    init(_ boundary: ErrorBoundary) {
        self.boundary = boundary
    }

    /// Whether `context` may do what it is asked.
    func keeps(_ context: any Context) -> Bool {
        kept?.contains(ObjectIdentifier(type(of: context))) ?? true
    }

    /// Settles what a context propagated, or what failed in a phase of the orchestrator itself.
    func settle(_ operation: FailedOperation) async -> ActionOutcome {
        operation.rise(to: boundary.descriptor)
        return await boundary.settle(operation, by: recovery(operation.error))
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
            container: { [weak self] body in await self?.contain(body, in: component) },
            body: again
        )
    }

    /// Runs what a person chose to do about an error, and settles what it throws.
    private func contain(_ body: @escaping FailedOperation.Body, in component: ComponentDescriptor) async {
        let trail = ErrorTrail()
        do {
            try await ErrorTrail.$current.withValue(trail, operation: body)
        } catch {
            guard ActionOutcome(ofError: error) != .cancelled else { return }
            _ = await settle(failure(error, in: component, trail, again: body))
        }
    }
}
