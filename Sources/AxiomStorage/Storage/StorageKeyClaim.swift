// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The right of one user in this process to the values under a key of a storage, as long as this object exists. Two stores with
/// one key would replace each other's states, and two engines with one outbox would send each change twice.
final class StorageKeyClaim: Sendable {
    private struct Place: Hashable {
        let storage: ObjectIdentifier
        let key: StorageKey
    }

    private struct Owner: Sendable {
        weak let claim: StorageKeyClaim?
        /// An address can be used again by another storage.
        weak let storage: (any KeyValueStorage & AnyObject)?
    }

    /// The claims of this process. No claim is released under the lock.
    private static let owners = Lock<[Place: Owner]>([:])

    private let place: Place
    private let component: ComponentDescriptor

    private init(_ place: Place, _ component: ComponentDescriptor) {
        (self.place, self.component) = (place, component)
    }

    deinit {
        // Another user may have taken the place meanwhile. Its claim is released outside of the lock.
        let other = Self.owners.withLock { [place] owners -> StorageKeyClaim? in
            let other = owners[place]?.claim
            if other == nil { owners[place] = nil }
            return other
        }
        withExtendedLifetime(other) {}
    }

    /// Claims a key. Throws ``Taken`` if another user has it.
    static func make(
        _ key: StorageKey,
        in storage: any KeyValueStorage & AnyObject,
        for component: ComponentDescriptor
    ) throws(Taken) -> StorageKeyClaim {
        let claim = StorageKeyClaim(Place(storage: ObjectIdentifier(storage), key: key), component)
        let other = owners.withLock { owners -> StorageKeyClaim? in
            if let owner = owners[claim.place], owner.storage === storage, let other = owner.claim { return other }
            owners[claim.place] = Owner(claim: claim, storage: storage)
            return nil
        }
        if let other { throw Taken(owner: other.component) }
        return claim
    }

    /// Another user has the key.
    struct Taken: Error {
        let owner: ComponentDescriptor
    }
}

extension KeyValueStorage {
    /// The object that keeps the values: for a capability its present instance. Nil if it is not an object.
    var keeper: (any KeyValueStorage & AnyObject)? {
        if let reference = self as? any StorageReference { return reference.target?.keeper }
        return self as? any KeyValueStorage & AnyObject
    }
}

/// A storage that passes calls on to another one.
protocol StorageReference {
    /// Nil if there is none now.
    var target: (any KeyValueStorage)? { get }
}
