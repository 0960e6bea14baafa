// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import Foundation

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
