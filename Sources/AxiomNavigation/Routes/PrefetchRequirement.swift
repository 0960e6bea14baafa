// SPDX-License-Identifier: Apache-2.0

/// Names a value that screens need: its type, and in the properties what it depends on.
///
/// ```swift
/// struct ProductKey: PrefetchKey {
///     typealias Value = Product
///     let id: Int
/// }
/// ```
public protocol PrefetchKey: Hashable, Sendable {
    /// The type of the value.
    associatedtype Value: Sendable
}

/// A value that a route needs. The flow's prefetcher has a loader for keys of this type.
public struct PrefetchRequirement: Sendable, Hashable {
    let key: any PrefetchKey

    /// Requires the value of `key`.
    public init(_ key: some PrefetchKey) {
        self.key = key
    }

    /// Whether both require the value of the same key.
    public static func == (left: Self, right: Self) -> Bool {
        left.key.isEqual(to: right.key)
    }

    /// Hashes the type of the key and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: key)))
        key.hash(into: &hasher)
    }
}

extension PrefetchKey {
    fileprivate func isEqual(to other: any PrefetchKey) -> Bool {
        self == other as? Self
    }
}
