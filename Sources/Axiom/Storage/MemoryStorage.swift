// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import Foundation

/// Keeps values in memory only, for tests and previews: they end with the process.
public final class MemoryStorage: KeyValueStorage {
    /// Removed bytes are released outside the lock.
    private let values: Lock<[StorageKey: Data]>

    /// Creates a storage with some values.
    public init(_ values: [StorageKey: Data] = [:]) { self.values = Lock(values) }

    /// All values at this moment.
    public var contents: [StorageKey: Data] { values.withLock { $0 } }

    /// The bytes of a key; nil if it has none.
    public func data(_ key: StorageKey) async -> Data? { values.withLock { $0[key] } }

    /// The keys that begin with a prefix, in ascending order.
    public func keys(prefix: String) async -> [StorageKey] {
        contents.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Carries out all changes.
    public func transaction(_ changes: [StorageChange]) async {
        let replaced = values.withLock { values in
            changes.map { change in
                switch change {
                case .put(let key, let data): values.updateValue(data, forKey: key)
                case .remove(let key): values.removeValue(forKey: key)
                }
            }
        }
        withExtendedLifetime(replaced) {}
    }
}
