// SPDX-License-Identifier: Apache-2.0

/// What a ``Bulkhead`` holds and has counted since it was made, all at one instant. Totals never fall.
///
/// At every instant `offered = admitted + rejectedFull + rejectedLate + cancelled + queueDepth` and
/// `admitted = finished + inUse`.
public struct BulkheadCounts: Hashable, Sendable {
    /// How many calls may run at once. An adaptive limit can fall below ``inUse``; then nobody is let in meanwhile.
    public internal(set) var limit: Int
    /// Calls that run.
    public internal(set) var inUse = 0
    /// Calls that wait for a place.
    public internal(set) var queueDepth = 0
    /// Calls begun.
    public internal(set) var offered = 0
    /// Calls that got a place.
    public internal(set) var admitted = 0
    /// Calls that gave it back.
    public internal(set) var finished = 0
    /// Calls refused because the queue was full.
    public internal(set) var rejectedFull = 0
    /// Calls refused because they had waited too long.
    public internal(set) var rejectedLate = 0
    /// Calls that were cancelled while they waited.
    public internal(set) var cancelled = 0

    /// All calls refused.
    public var rejected: Int { rejectedFull + rejectedLate }
}
