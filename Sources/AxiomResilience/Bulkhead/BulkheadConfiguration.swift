// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The settings of a ``Bulkhead``. The initializer of the bulkhead checks them.
public struct BulkheadConfiguration: Sendable {
    /// How many calls may run at once: 1 or more. Default: 10.
    public var limit = 10

    /// How many calls may wait for a slot, of all priorities together: 0 or more. Default: 0, no queue.
    public var queueLimit = 0

    /// How long a call may wait for a slot; nil, the default, for no limit. The call then waits until a slot is free or
    /// its task is cancelled. A ``Timeout`` around the bulkhead also ends the wait.
    public var queueTimeout: Duration?

    /// Creates the default settings.
    public init() {}

    func validate(_ check: SettingCheck) throws {
        try check.require(limit >= 1, "limit", limit, "it has to be 1 or more")
        try check.require(queueLimit >= 0, "queueLimit", queueLimit, "it has to be 0, for no queue, or more")
        try check.requirePositive(queueTimeout, "queueTimeout")
    }
}

/// How urgent a call of a ``Bulkhead`` is, compared with the other calls that wait for a slot.
public enum BulkheadPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Work that can be done later. The first to be refused when the queue is full.
    case low
    /// The priority of a call that states none.
    case normal
    /// Work that others wait for. Waits only for calls that run and for earlier calls of this priority.
    case high

    /// Whether the first is less urgent.
    public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The state of a ``Bulkhead`` and its totals, all read at one instant. The totals never decrease.
///
/// At every instant `offered = admitted + rejectedFull + rejectedLate + cancelled + queueDepth` and
/// `admitted = finished + inUse`. A waiting call that a more urgent call displaces moves from `queueDepth` to `rejectedFull`.
public struct BulkheadCounts: Hashable, Sendable {
    /// How many calls may run at once.
    public let limit: Int
    /// Calls that run.
    public internal(set) var inUse = 0
    /// Calls that wait for a slot.
    public internal(set) var queueDepth = 0
    /// Calls that began.
    package internal(set) var offered = 0
    /// Calls that got a slot.
    package internal(set) var admitted = 0
    /// Calls that released their slot.
    package internal(set) var finished = 0
    /// Calls rejected because the queue was full: refused on arrival, or displaced by a more urgent call.
    package internal(set) var rejectedFull = 0
    /// Calls rejected because they had waited too long.
    package internal(set) var rejectedLate = 0
    /// Calls that were cancelled while they waited.
    package internal(set) var cancelled = 0

    /// All rejected calls.
    package var rejected: Int { rejectedFull + rejectedLate }
}

/// A ``Bulkhead`` had no slot for a call. The operation has not run.
public struct BulkheadFullError: MessageError, Hashable, CustomStringConvertible {
    /// Why there was no slot.
    package enum Reason: String, Hashable, Sendable {
        /// All slots were in use and the queue was full. The call was refused, or a more urgent call took its place.
        case queueFull = "queue full"
        /// No slot became free within the queue timeout.
        case waitedTooLong = "waited too long"
    }

    /// The name of the bulkhead.
    public let policy: String
    /// Why there was no slot.
    package let reason: Reason
    /// How many calls were allowed to run at once.
    package let limit: Int

    /// The name, the reason and the limit.
    public var message: String {
        "\(policy): no slot for the call, \(reason.rawValue); at most \(limit) calls run at once"
    }
}
