// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The time for something has passed.
struct DeadlineExceeded: Error, Hashable {}

/// Runs `work` and cancels it when it has not ended by `deadline`.
///
/// - Throws: ``DeadlineExceeded``, what `work` throws, or `CancellationError` when the task is cancelled.
func withDeadline<Result: Sendable>(
    _ deadline: Instant,
    clock: TimeSource,
    _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(until: deadline)
            return nil
        }
        // The first to end decides; leaving the group waits for the other, which was cancelled.
        guard let result = try await group.next() ?? nil else { throw DeadlineExceeded() }
        return result
    }
}
