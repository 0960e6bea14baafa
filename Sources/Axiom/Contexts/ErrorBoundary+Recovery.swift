// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ErrorBoundary {
    /// Carries out the steps of `strategy` until one settles the error.
    ///
    /// - Parameter above: Passes the operation to the next boundary; nil if there is none.
    /// - Returns: The outcome of the operation: success if a remedy worked here or above.
    func settle(
        _ operation: FailedOperation,
        by strategy: RecoveryStrategy,
        above: (@MainActor (FailedOperation) async -> ActionOutcome)? = nil
    ) async -> ActionOutcome {
        var recoveryError: (any Error)?
        for step in strategy.steps {
            switch step {
            case .remedy(let remedy):
                switch await attempt(remedy, operation) {
                case .success: return .success
                case .failure(let error):
                    if ActionOutcome(ofError: error) == .cancelled {
                        record(entry(operation, .cancelled))
                        return .cancelled
                    }
                    if !ErrorTrail.isSame(error, operation.error) { recoveryError = error }
                }
            case .propagation:
                guard let above else { continue }
                record(entry(operation, .propagated, recoveryError))
                return await above(operation)
            case .ending(let ending):
                end(operation, as: ending, recoveryError)
                return .failure
            }
        }
        end(operation, as: .surface([]), recoveryError)
        return .failure
    }

    private func attempt(
        _ remedy: RecoveryStrategy.Remedy,
        _ operation: FailedOperation
    ) async -> Result<Void, any Error> {
        let (error, origin, chain) = (operation.error, operation.origin, operation.chain)
        let (start, attempts) = (port.clock.now, operation.attempts)
        recoveryBegan()
        let result: Result<Void, any Error>
        do {
            try await operation.recover(by: remedy.name) { try await remedy.body(operation) }
            record(entry(operation, .recovered(by: remedy.name)))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        recoveryEnded()
        port.observer?.recoveryEnded(
            RecoveryReport(
                strategy: remedy.name,
                outcome: RecoveryReport.Outcome(result),
                nanoseconds: port.clock.now.nanoseconds(since: start),
                attempts: operation.attempts - attempts,
                error: error,
                origin: origin,
                boundary: descriptor,
                chain: chain,
                span: operation.span
            )
        )
        return result
    }

    private func end(
        _ operation: FailedOperation,
        as ending: RecoveryStrategy.Ending,
        _ recoveryError: (any Error)?
    ) {
        let ended = entry(operation, .ended, recoveryError)
        switch ending {
        case .surface(let options):
            record(ended, shownWith: offered(options, operation))
        case .silent where operation.severity == .critical:
            record(ended, shownWith: offered([], operation))
        case .silent:
            record(ended)
        case .notification(let message, let options):
            record(ended)
            notify(message, operation, options: options)
        }
    }

    private func entry(
        _ operation: FailedOperation,
        _ resolution: Resolution,
        _ recoveryError: (any Error)? = nil
    ) -> Entry {
        Entry(
            id: historyDropped + history.count,
            error: operation.error,
            origin: operation.origin,
            path: operation.path,
            time: port.clock.now,
            resolution: resolution,
            recoveryError: recoveryError,
            chain: operation.chain,
            span: operation.span
        )
    }

    private func notify(_ message: String?, _ operation: FailedOperation, options: [RecoveryOption]) {
        let error = operation.error
        let text = message.flatMap { $0.isEmpty ? nil : $0 } ?? (error as? any AxiomError)?.message ?? "\(error)"
        notify(text, about: error, options: offered(options, operation))
    }

    private func offered(_ options: [RecoveryOption], _ operation: FailedOperation) -> [RecoveryOption] {
        (options.isEmpty ? RecoveryOption.suited(to: operation) : options).map { $0.offered(for: operation) }
    }
}

extension RecoveryReport.Outcome {
    fileprivate init(_ result: Result<Void, any Error>) {
        switch result {
        case .success: self = .recovered
        case .failure(let error): self = ActionOutcome(ofError: error) == .cancelled ? .cancelled : .failed
        }
    }
}
