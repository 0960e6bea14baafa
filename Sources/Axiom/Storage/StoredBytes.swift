// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a storage has under one of many keys.
///
/// A value that is damaged is the matter of its key, so that the owner of the key decides what follows. Whoever reads several
/// values, or must start without one, uses ``KeyValueStorage/bytes(_:)`` and not `data(_:)`.
package enum StoredBytes: Sendable {
    case data(Data)
    case missing
    /// The bytes are there, and are not those that were stored.
    case damaged(any Error)
    /// A newer version wrote the value. It must not be changed.
    case newer(any Error)
    /// The file of the value cannot be read now, and the storage can be used.
    case unreadable(any Error)
}

extension KeyValueStorage {
    /// What there is under a key. Throws an error of the whole storage.
    package func bytes(_ key: StorageKey) async throws -> StoredBytes {
        do {
            return try await data(key).map(StoredBytes.data) ?? .missing
        } catch {
            switch ErrorCode(of: error) {
            case .valueDamaged: return .damaged(error)
            case .storageNewer: return .newer(error)
            case .valueUnreadable: return .unreadable(error)
            default: throw error
            }
        }
    }
}
