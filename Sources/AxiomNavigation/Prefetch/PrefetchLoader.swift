// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Loads the values of keys of one type.
///
/// ```swift
/// let loader = PrefetchLoader { (key: ProductKey) in try await shop.product(key.id) }
/// ```
public struct PrefetchLoader: Sendable {
    /// The type of the keys.
    let keyType: any PrefetchKey.Type
    /// Loads the value of a key of ``keyType``.
    let load: @Sendable (any PrefetchKey) async throws -> any Sendable

    /// Loads the values of keys of the type `K`.
    public init<K: PrefetchKey>(_ type: K.Type = K.self, load: @escaping @Sendable (K) async throws -> K.Value) {
        keyType = type
        self.load = { key in
            guard let key = key as? K else { throw NavigationError.prefetch("\(key) is no \(K.self)") }
            return try await load(key)
        }
    }
}
