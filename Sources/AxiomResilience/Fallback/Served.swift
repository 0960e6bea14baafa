// SPDX-License-Identifier: Apache-2.0

/// A value together with where it came from, as ``Fallback/serve(_:)`` gives it.
public struct Served<Value: Sendable>: Sendable {
    /// Where a value came from. More sources may be added.
    public struct Source: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case fresh
            case remembered(age: Duration)
            case substitute
        }

        private let kind: Kind

        /// The operation succeeded.
        public static var fresh: Source { Source(kind: .fresh) }
        /// The operation failed, and the fallback's closure answered in its place.
        public static var substitute: Source { Source(kind: .substitute) }

        /// The operation failed; the value is of an earlier success, `age` ago.
        public static func remembered(age: Duration) -> Source {
            Source(kind: .remembered(age: age))
        }

        /// How old a remembered value is; nil for another source.
        public var age: Duration? {
            if case .remembered(let age) = kind { age } else { nil }
        }

        /// The source and the age.
        public var description: String {
            switch kind {
            case .fresh: "fresh"
            case .substitute: "substitute"
            case .remembered(let age): "remembered for \(age)"
            }
        }
    }

    /// The value.
    public let value: Value
    /// Where it came from.
    public let source: Source
    /// What the operation threw; nil when the value is fresh.
    public let error: (any Error)?
}
