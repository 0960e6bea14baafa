// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Foundation

/// The answer of a capability as a storage keeps it, with its wall-clock time.
private struct StoredAnswer<Value: Codable & Sendable>: Codable, Sendable {
    let value: Value
    /// When it was the answer, in seconds since 1970.
    let answeredAt: Double
}

// The last answers of capabilities, kept from one run to the next:
//
//     try await prices.load("prices", from: storage)                       // at the start
//     let answer = try await catalogue.answer(orCached: prices) { ... }
//     if case .fresh = answer { try await prices.save("prices", to: storage) }
extension CapabilityCache where Value: Codable {
    /// Loads the value that an earlier run saved, with its age by the wall clock. Keeps the present value if there is
    /// nothing to load, or if the present value is newer. A stored answer that is damaged, or that this version cannot
    /// decode, is no answer; the next ``save(_:to:)`` replaces it.
    ///
    /// - Throws: The error of the storage.
    public func load(_ key: StorageKey, from storage: some KeyValueStorage) async throws {
        guard case .data(let data) = try await storage.bytes(key),
            let stored = try? JSONDecoder().decode(StoredAnswer<Value>.self, from: data)
        else { return }
        let age = timeSource.secondsSinceEpoch - stored.answeredAt
        // 100 years: more than any age that is served, and within the range of an instant.
        store(stored.value, age: .seconds(min(max(0, age), 3.2e9)))
    }

    /// Saves the value; does nothing if there is none or if it is too old. Returns when it is durable.
    ///
    /// - Throws: The error of the storage, or an `EncodingError`.
    public func save(_ key: StorageKey, to storage: some KeyValueStorage) async throws {
        guard let (value, staleness) = current else { return }
        let answeredAt = timeSource.secondsSinceEpoch - staleness.inSeconds
        try await storage.save(StoredAnswer(value: value, answeredAt: answeredAt), key)
    }
}

/// The answer of a server to a change.
public enum SyncAnswer: Sendable, Hashable {
    /// The server has applied the change, now or at an earlier attempt with the same idempotency key.
    case accepted
    /// The server did not apply the change, because another client has changed its state. That state is passed to the
    /// resolver.
    case conflict(remote: Data)
    /// The server will never accept the change. It is set aside. The reason is a clause for people.
    case rejected(reason: String)
}

/// What to do about a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// Stores this payload, and sends the change with it and the same idempotency key. Counts as an
    /// attempt.
    case keepLocal(Data)
    /// Drops the change: the state of the server stays. The resolver has taken it over.
    case takeRemote
    /// Sets the change aside, for a person to decide. The reason is a clause for people.
    case setAside(reason: String)
}
