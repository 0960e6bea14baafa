// SPDX-License-Identifier: Apache-2.0

/// How the calls of a ``Fallback`` have ended, all read at one instant. The counts never decrease.
public struct FallbackCounts: Hashable, Sendable {
    /// The operation succeeded.
    public internal(set) var fresh = 0
    /// The call returned a remembered value.
    public internal(set) var remembered = 0
    /// The call returned the value of the substitute closure.
    public internal(set) var substitute = 0
    /// The call failed: there was no value, or the fallback does not apply to the error.
    public internal(set) var failed = 0
    /// The call was cancelled.
    public internal(set) var cancelled = 0
    /// The call failed, and its result type is not the value type of the fallback.
    public internal(set) var otherType = 0

    /// Calls that returned a value although the operation failed.
    package var served: Int { remembered + substitute }

    /// Each count with its metric label, in snake case.
    package var byOutcome: [(outcome: String, count: Int)] {
        [
            ("fresh", fresh), ("remembered", remembered), ("substitute", substitute), ("failed", failed),
            ("cancelled", cancelled), ("other_type", otherType),
        ]
    }
}

/// A ``Fallback`` without its value type, for metrics.
package protocol CountedFallback: ResilienceStrategy, AnyObject {
    /// The name of the fallback.
    var name: String { get }
    /// How its calls have ended.
    var counts: FallbackCounts { get }
}

/// A value and its source, as returned by ``Fallback/serve(isolation:_:)``.
public struct Served<Value: Sendable>: Sendable {
    /// The source of a value. More sources may be added.
    public struct Source: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case fresh
            case remembered(age: Duration)
            case substitute
        }

        private let kind: Kind

        /// The operation succeeded.
        public static var fresh: Source { Source(kind: .fresh) }
        /// The operation failed, and the substitute closure returned the value.
        public static var substitute: Source { Source(kind: .substitute) }

        /// The operation failed; the value is the result of an earlier call, `age` ago.
        package static func remembered(age: Duration) -> Source {
            Source(kind: .remembered(age: age))
        }

        /// The age of a remembered value; nil for another source.
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
    /// The source of the value.
    public let source: Source
    /// The error of the operation; nil if the value is fresh.
    public let error: (any Error)?
}
