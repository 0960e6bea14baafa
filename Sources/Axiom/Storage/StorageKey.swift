// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The name of a stored value, as in `"cart"` or `"orders/17"`.
///
/// Any text is a key. Keys are compared and ordered by their UTF-8 bytes, so two spellings of one character are two
/// keys, on every storage.
public struct StorageKey: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the key.
    public let name: String

    /// Creates a key from a text.
    public init(_ name: String) { self.name = name }

    /// Creates a key from a literal.
    public init(stringLiteral value: String) { name = value }

    /// The text of the key.
    public var description: String { name }

    /// Whether the bytes of both keys are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Whether the bytes of the left key come before those of the right one.
    public static func < (left: Self, right: Self) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }

    /// Whether the bytes of the key begin with those of a text.
    public func hasPrefix(_ prefix: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}

/// One change of a transaction.
public enum StorageChange: Sendable, Equatable {
    /// Stores bytes under a key, and replaces the former ones.
    case put(StorageKey, Data)
    /// Removes a key. A missing key is not an error.
    case remove(StorageKey)

    /// The key that changes.
    public var key: StorageKey {
        switch self {
        case .put(let key, _), .remove(let key): key
        }
    }
}
