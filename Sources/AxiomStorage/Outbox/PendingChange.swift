// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import Foundation

/// A change that an ``Outbox`` keeps until a server has accepted it.
public struct PendingChange: Sendable, Hashable, Identifiable {
    /// The idempotency key. Every attempt to send the change has the same one, also after a crash, so that the server can
    /// ignore a repetition.
    public let id: UUID
    /// What kind of change it is, such as `"order.place"`.
    public let kind: String
    /// The changes of one key are sent in the order in which they were appended. Changes of different keys are
    /// independent of each other.
    public let key: String
    /// The content.
    public internal(set) var payload: Data
    /// When the change was appended, in seconds since 1970.
    let madeAt: Double
    /// How many attempts to send it failed and count; see ``SyncOptions/maximumAttempts``.
    public internal(set) var attempts = 0
    /// When the first of these attempts failed, in seconds since 1970; nil if none did.
    var failingSince: Double?

    /// An attempt failed and counts.
    mutating func countAttempt(at moment: Moment) {
        attempts += 1
        failingSince = min(failingSince ?? .infinity, moment.secondsSinceEpoch)
    }

    /// The attempts are counted from 0 again.
    mutating func resetAttempts() { (attempts, failingSince) = (0, nil) }

    /// What the change counts against ``OutboxOptions/maximumBytes``.
    var bytes: Int { payload.count + kind.utf8.count + key.utf8.count }
}

/// A change that is not sent any more, until ``Outbox/retry(_:)`` or ``Outbox/discard(_:)``.
public struct SetAsideChange: Sendable, Hashable, Identifiable {
    /// The change.
    public let change: PendingChange
    /// Why it was set aside, as a clause for people.
    public let reason: String

    /// The idempotency key of the change.
    public var id: UUID { change.id }
}

/// How many changes an ``Outbox`` has.
public struct OutboxStatus: Sendable, Hashable {
    /// The changes that are to be sent, and those that are being sent.
    public internal(set) var pending = 0
    /// The changes that were set aside.
    public internal(set) var setAside = 0
    /// When the oldest of all these changes was appended, by the clock of the outbox; nil if there is none. For a change
    /// of an earlier run it is computed from the wall-clock time.
    public internal(set) var oldest: Instant?
}
