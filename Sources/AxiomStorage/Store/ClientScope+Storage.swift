// SPDX-License-Identifier: Apache-2.0

public import Axiom

extension ClientScope {
    /// A new store for the state that the new client owns, kept in a storage.
    ///
    /// The stored value is two lines of JSON: the version, and the state.
    ///
    /// - Parameters:
    ///   - initial: The state if nothing is stored.
    ///   - key: Where it is stored. No other store may use this key, or a key that begins with it and `.unreadable-`.
    ///   - storage: The storage, a capability of the client.
    ///   - version: The version of the type's stored form, at least 1. Raise it if an older stored state cannot be
    ///     decoded any more.
    ///   - durability: When a change is saved: by default 100 ms after the first unsaved change.
    ///   - migrate: The migrations from each older version to the next one, in any order.
    public func persistentStore<S: OwnedState & Codable, K: KeyValueStorage>(
        _ initial: S,
        _ key: StorageKey,
        in storage: CapabilityRef<K>,
        version: Int = 1,
        durability: PersistentStore<S>.Durability = .coalesced(.milliseconds(100)),
        migrate: [StateMigration] = []
    ) -> PersistentStore<S> {
        PersistentStore(
            saver(initial, key, CapabilityStorage(storage), StateFormat(version: version, migrate), durability)
        )
    }

    /// A new store for the state that the new client owns, kept in a storage that is registered as
    /// `(any KeyValueStorage).self`. See the overload for the type of a storage.
    public func persistentStore<S: OwnedState & Codable>(
        _ initial: S,
        _ key: StorageKey,
        in storage: CapabilityRef<any KeyValueStorage>,
        version: Int = 1,
        durability: PersistentStore<S>.Durability = .coalesced(.milliseconds(100)),
        migrate: [StateMigration] = []
    ) -> PersistentStore<S> {
        PersistentStore(
            saver(initial, key, CapabilityStorage(storage), StateFormat(version: version, migrate), durability)
        )
    }

    /// A new store for the state that the new client owns, in which each change is stored before it is published. See
    /// the overload for a ``PersistentStore``.
    public func persistentStore<S: OwnedState & Codable, K: KeyValueStorage>(
        _ initial: S,
        _ key: StorageKey,
        in storage: CapabilityRef<K>,
        version: Int = 1,
        durability: DurableStore<S>.Durability,
        migrate: [StateMigration] = []
    ) -> DurableStore<S> {
        DurableStore(saver(initial, key, CapabilityStorage(storage), StateFormat(version: version, migrate)))
    }

    /// A new store for the state that the new client owns, in which each change is stored before it is published, in a
    /// storage that is registered as `(any KeyValueStorage).self`.
    public func persistentStore<S: OwnedState & Codable>(
        _ initial: S,
        _ key: StorageKey,
        in storage: CapabilityRef<any KeyValueStorage>,
        version: Int = 1,
        durability: DurableStore<S>.Durability,
        migrate: [StateMigration] = []
    ) -> DurableStore<S> {
        DurableStore(saver(initial, key, CapabilityStorage(storage), StateFormat(version: version, migrate)))
    }

    private func saver<S: OwnedState & Codable>(
        _ initial: S,
        _ key: StorageKey,
        _ storage: any KeyValueStorage,
        _ format: StateFormat,
        _ durability: PersistentStore<S>.Durability = .coalesced(.zero)
    ) -> StateSaver<S> {
        let delay =
            switch durability {
            case .coalesced(let delay): delay
            }
        return StateSaver(store(initial), key, format, storage, port, delay: delay)
    }
}
