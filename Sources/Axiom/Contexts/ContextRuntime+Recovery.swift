// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ContextRuntime {
    /// Settles `error`, which an operation of this context threw. A cancellation is not an error.
    ///
    /// - Parameters:
    ///   - attempts: How often the operation was retried before this failure.
    ///   - again: Runs the operation again; must not retain the context.
    func settle(
        _ error: any Error,
        _ trail: ErrorTrail,
        attempts: Int = 0,
        again: FailedOperation.Body?
    ) async -> ActionOutcome {
        guard ActionOutcome(ofError: error) != .cancelled else { return .cancelled }
        let start = port.clock.now
        defer { report(.errorPropagation, since: start) }
        reportArrival(of: error, trail, at: start)
        return await settle(failure(error, trail, attempts: attempts, again: again))
    }

    /// Reports how long an error of a client or a capability took to this boundary.
    private func reportArrival(of error: any Error, _ trail: ErrorTrail, at time: Instant) {
        guard let reporter, let (origin, thrown) = trail.start(of: error) else { return }
        let nanoseconds = time.nanoseconds(since: thrown)
        switch origin.kind {
        case .client: reporter.operationEnded(.clientErrorPropagation, nanoseconds: nanoseconds)
        case .capability: reporter.operationEnded(.capabilityErrorPropagation, nanoseconds: nanoseconds)
        case .context, .request, .orchestrator, .presentation: break
        }
    }

    /// Settles a failed operation of this context, or one that was propagated to it, with the context's strategy.
    private func settle(_ operation: FailedOperation) async -> ActionOutcome {
        let start = port.clock.now
        let strategy = context?.recovery(for: operation.error) ?? .surface
        report(.strategyChoice, since: start)
        return await boundary.settle(operation, by: strategy, above: above)
    }

    /// The next boundary: that of the upstream context, or the orchestrator's for the topmost context.
    private var above: (@MainActor (FailedOperation) async -> ActionOutcome)? {
        if let upstream {
            return { operation in
                operation.rise(to: upstream.descriptor)
                return await upstream.settle(operation)
            }
        }
        guard let supervisor else { return nil }
        return { await supervisor.settle($0) }
    }

    func failure(
        _ error: any Error,
        _ trail: ErrorTrail,
        attempts: Int = 0,
        again: FailedOperation.Body?
    ) -> FailedOperation {
        FailedOperation(
            error,
            in: descriptor,
            trail: trail,
            clock: port.clock,
            attempts: attempts,
            container: { [weak self] body in await self?.contain(body) ?? .rejected },
            body: again
        )
    }
}
