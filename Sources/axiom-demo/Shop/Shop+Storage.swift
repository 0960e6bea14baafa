// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension Shop {
    /// What stands around every access to the disk: a folder on a network may be away for a moment, and must neither be
    /// waited for without end nor be asked by everybody at once.
    ///
    /// - Throws: `ResilienceError` for settings that contradict themselves, which these do not.
    nonisolated static func storagePolicy(clock: TimeSource) throws -> Policy {
        let budget = try RetryBudget.tokenRatio(maximumTokens: 20)
        return try Policy("storage") {
            try Retry("storage", clock: clock) {
                $0.maximumAttempts = 2
                $0.budget = budget
            }
            try Bulkhead("storage", clock: clock) {
                $0.limit = 8
                $0.queueLimit = 10_000
            }
            try Timeout("storage", .seconds(30), clock: clock)
        }
    }
}
