// SPDX-License-Identifier: Apache-2.0

/// How often each way of ending an action happened.
struct Outcomes: Codable, Hashable, Sendable {
    var success = 0
    var failure = 0
    var cancelled = 0
    /// Refused before it ran: only a circuit breaker does that.
    var rejected = 0

    var total: Int { success + failure + cancelled + rejected }
}
