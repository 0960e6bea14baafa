// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Stores values by key, so that they survive the end of the process.
///
/// A change that returned is durable: it survives the loss of power. A change that throws, or that the end of the
/// process interrupts, has happened completely or not at all.
///
/// `AxiomStorage` has a storage in files and one in a database; ``MemoryStorage`` is for tests. The contract stands here,
/// so that a module can keep values without a database.
///
/// A type conforms with three methods, and with ``moveAside(_:to:)`` if it checks its bytes; ``load(_:_:)``,
/// ``save(_:_:)`` and ``delete(_:)`` are derived from them. No method
/// blocks a thread of the cooperative pool.
public protocol KeyValueStorage: Sendable {
    /// The bytes of a key; nil if it has none.
    ///
    /// - Throws: An error if the storage cannot be read, or if the bytes are damaged.
    func data(_ key: StorageKey) async throws -> Data?

    /// The keys that begin with a prefix, in ascending order. The empty prefix gives all keys.
    ///
    /// - Throws: An error if the storage cannot be read.
    func keys(prefix: String) async throws -> [StorageKey]

    /// Carries out all changes or, if it throws, none. Of several changes of one key the last one counts.
    ///
    /// - Throws: An error if the changes cannot be stored.
    func transaction(_ changes: [StorageChange]) async throws

    /// Moves the bytes of a key to another key, as they are, also if ``data(_:)`` throws
    /// ``ErrorCode/valueDamaged`` for them. Does nothing if the key is missing. A persistent state that cannot be
    /// read is kept in this way, and the application starts without it.
    ///
    /// The default reads the bytes with ``data(_:)``, and so it throws for damaged ones. A storage that checks its bytes
    /// implements the method, and so does one that passes calls on to another storage.
    ///
    /// - Throws: An error if the bytes cannot be moved. Then nothing has changed.
    func moveAside(_ key: StorageKey, to target: StorageKey) async throws
}

extension KeyValueStorage {
    /// Moves bytes that ``data(_:)`` can read.
    ///
    /// - Throws: The error of the storage. Then nothing has changed.
    public func moveAside(_ key: StorageKey, to target: StorageKey) async throws {
        guard let data = try await data(key) else { return }
        try await transaction([.put(target, data), .remove(key)])
    }

    /// The value of a key, decoded from JSON; nil if the key has none.
    ///
    /// - Throws: The error of the storage, or a `DecodingError` if the bytes are not such a value.
    public func load<Value: Decodable & Sendable>(_ type: Value.Type, _ key: StorageKey) async throws -> Value? {
        guard let data = try await data(key) else { return nil }
        return try JSONDecoder().decode(type, from: data)
    }

    /// Stores a value, encoded as JSON, and replaces the former one. Returns when it is durable.
    ///
    /// - Throws: The error of the storage, or an `EncodingError`.
    public func save<Value: Encodable & Sendable>(_ value: Value, _ key: StorageKey) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try await transaction([.put(key, encoder.encode(value))])
    }

    /// Removes a key. A missing key is not an error.
    ///
    /// - Throws: The error of the storage.
    public func delete(_ key: StorageKey) async throws { try await transaction([.remove(key)]) }
}
