// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import AxiomBase
public import Foundation

/// An instant of both clocks: instants of the monotonic clock mean nothing in the next run, those of the wall clock do.
struct Moment: Sendable, Hashable {
    /// By the monotonic clock.
    var now: Instant
    /// By the wall clock, in seconds since 1970.
    var secondsSinceEpoch: Double

    init(_ clock: TimeSource) {
        now = clock.now
        secondsSinceEpoch = clock.secondsSinceEpoch
    }

    init(now: Instant, secondsSinceEpoch: Double) {
        self.now = now
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    /// The wall-clock time of an instant.
    func wall(_ instant: Instant) -> Double { secondsSinceEpoch + instant.seconds(since: now) }

    /// The instant of a wall-clock time, at most `before` earlier and `after` later than now, because the wall clock may
    /// have been set between two runs.
    func instant(_ wall: Double, before: Duration, after: Duration) -> Instant {
        let offset = wall - secondsSinceEpoch
        let limited = offset.isFinite ? min(after.inSeconds, max(-before.inSeconds, offset)) : 0
        return now.advanced(by: .nanoseconds(Int64(limited * 1e9)))
    }
}

/// A change as the storage keeps it, in JSON.
struct OutboxRecord: Codable, Sendable, Hashable {
    /// The format that this version writes, and the newest that it reads.
    static let format = 1

    var format = Self.format
    var id: UUID
    var kind: String
    var key: String
    var payload: Data
    var madeAt: Double
    var attempts: Int
    /// When the first of the attempts failed, in seconds since 1970; nil if none did. Versions before did not write it.
    var failingSince: Double?
    /// When the change may be sent again, in seconds since 1970; nil for at once.
    var notBefore: Double?
    /// Why the change was set aside; nil if it was not.
    var setAside: String?

    init(_ change: PendingChange, notBefore: Double? = nil, setAside: String? = nil) {
        (id, kind, key, payload) = (change.id, change.kind, change.key, change.payload)
        (madeAt, attempts, failingSince) = (change.madeAt, change.attempts, change.failingSince)
        self.notBefore = notBefore
        self.setAside = setAside
    }

    /// Reads a record; nil if it is damaged or has a newer format.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: data), record.format <= Self.format else {
            return nil
        }
        self = record
    }

    /// The bytes to store. Throws an `EncodingError` if the time is not a finite number.
    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }

    /// The change. Its attempts can always be counted further, whatever was stored.
    var change: PendingChange {
        let attempts = min(max(0, attempts), Int(Int32.max))
        var change = PendingChange(
            id: id,
            kind: kind,
            key: key,
            payload: payload,
            madeAt: madeAt,
            attempts: attempts
        )
        change.failingSince = failingSince
        return change
    }
}

/// The keys of an outbox in its storage: `outbox/NAME/NUMBER-ID`. The number has 20 digits, so that the order of the keys
/// is the order of the changes. The id of the change makes the key unique: numbers begin at 1 again when the outbox is empty,
/// and two processes may use one number. Versions before wrote keys without the id.
struct OutboxKeys: Sendable, Hashable {
    let prefix: String

    init(_ name: String) { prefix = "outbox/\(name)/" }

    subscript(_ number: UInt64, _ id: UUID) -> StorageKey {
        StorageKey("\(prefix)\(Self.digits(number))-\(id.uuidString.lowercased())")
    }

    /// The number and the id in a key; nil if it is not a key of this outbox. A key of a version before has no id.
    func place(of key: StorageKey) -> (number: UInt64, id: UUID?)? {
        guard key.hasPrefix(prefix) else { return nil }
        let rest = key.name.utf8.dropFirst(prefix.utf8.count)
        guard let number = UInt64(String(decoding: rest.prefix(20), as: UTF8.self)), number <= Self.largest else {
            return nil
        }
        if key == StorageKey(prefix + Self.digits(number)) { return (number, nil) }
        guard let id = UUID(uuidString: String(decoding: rest.dropFirst(21), as: UTF8.self)), self[number, id] == key
        else { return nil }
        return (number, id)
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    /// Far more than one outbox can use, so that the next number always exists.
    private static let largest = UInt64(1) << 62
}

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
