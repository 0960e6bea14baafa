// SPDX-License-Identifier: Apache-2.0

internal import AxiomResilience

extension FailedOperation {
    /// Runs the operation with `retry`. The run that failed and the runs before it count as attempts.
    func run(by retry: Retry) async throws {
        guard canRun, attempts < retry.configuration.maximumAttempts - 1 else { throw error }
        let replay = Replay(self)
        try await retry.run { try await replay.next() }
    }

    /// The attempts of an operation, whose first run has already failed.
    @MainActor
    private final class Replay {
        private let operation: FailedOperation
        private var isFirst = true

        init(_ operation: FailedOperation) {
            self.operation = operation
        }

        func next() async throws {
            guard isFirst else { return try await operation.run() }
            isFirst = false
            throw operation.error
        }
    }
}
