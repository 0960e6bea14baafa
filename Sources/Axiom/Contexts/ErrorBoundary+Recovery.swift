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
                        record(entry(operation, .cancelled), isShown: false)
                        return .cancelled
                    }
                    if !ErrorTrail.isSame(error, operation.error) { recoveryError = error }
                }
            case .effect(_, let body):
                do { try await body(operation) } catch { recoveryError = error }
            case .propagation:
                guard let above else { continue }
                record(entry(operation, .propagated, recoveryError), isShown: false)
                return await above(operation)
            case .ending(let ending):
                return await end(operation, as: ending, recoveryError)
            }
        }
        return await end(operation, as: .surface, recoveryError)
    }

    private func attempt(
        _ remedy: RecoveryStrategy.Remedy,
        _ operation: FailedOperation
    ) async -> Result<Void, any Error> {
        let (start, error, origin, attempts) = (port.clock.now, operation.error, operation.origin, operation.attempts)
        recoveryBegan()
        let result: Result<Void, any Error>
        do {
            try await operation.recover(by: remedy.name) { try await remedy.body(operation) }
            record(entry(operation, .recovered(by: remedy.name)), isShown: false)
            if let notice = remedy.notice { notify(notice, operation, options: [.dismiss()]) }
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
                span: operation.span
            )
        )
        return result
    }

    private func end(
        _ operation: FailedOperation,
        as ending: RecoveryStrategy.Ending,
        _ recoveryError: (any Error)?
    ) async -> ActionOutcome {
        var recoveryError = recoveryError
        switch ending {
        case .surface:
            show(operation, recoveryError)
        case .silent where operation.severity == .critical:
            show(operation, recoveryError)
        case .silent:
            record(entry(operation, .ended, recoveryError), isShown: false)
        case .notification(let message, let options):
            record(entry(operation, .ended, recoveryError), isShown: false)
            notify(message ?? "", operation, options: options)
        case .errorState(let options, let enter):
            do { try await enter(operation.error) } catch { recoveryError = error }
            record(entry(operation, .ended, recoveryError, offered(options, operation)), isShown: true)
        }
        return .failure
    }

    /// Ends an error that is shown with the options that suit it. The history does not keep the options: each holds the
    /// failed operation.
    private func show(_ operation: FailedOperation, _ recoveryError: (any Error)?) {
        record(entry(operation, .ended, recoveryError), isShown: true, options: offered([], operation))
    }

    private func entry(
        _ operation: FailedOperation,
        _ resolution: Resolution,
        _ recoveryError: (any Error)? = nil,
        _ options: [RecoveryOption] = []
    ) -> Entry {
        Entry(
            id: historyDropped + history.count,
            error: operation.error,
            origin: operation.origin,
            path: operation.path,
            time: port.clock.now,
            resolution: resolution,
            recoveryError: recoveryError,
            options: options,
            span: operation.span
        )
    }

    private func notify(_ message: String, _ operation: FailedOperation, options: [RecoveryOption]) {
        let error = operation.error
        let text = message.isEmpty ? (error as? any AxiomError)?.message ?? "\(error)" : message
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
