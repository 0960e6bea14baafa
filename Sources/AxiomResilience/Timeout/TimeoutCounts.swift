// SPDX-License-Identifier: Apache-2.0

/// What a ``Timeout`` has counted since it was made. Totals never fall.
public struct TimeoutCounts: Hashable, Sendable {
    /// Calls begun.
    public let calls: Int
    /// Calls that took too long.
    public let timeouts: Int
}
