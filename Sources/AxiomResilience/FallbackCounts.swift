// SPDX-License-Identifier: Apache-2.0

/// How the calls of a ``Fallback`` have ended, all read at one instant. The counts never decrease.
package struct FallbackCounts: Hashable, Sendable {
    /// The operation succeeded.
    package internal(set) var fresh = 0
    /// The call returned a remembered value.
    package internal(set) var remembered = 0
    /// The call returned the value of the substitute closure.
    package internal(set) var substitute = 0
    /// The call failed: there was no value, or the fallback does not apply to the error.
    package internal(set) var failed = 0
    /// The call was cancelled.
    package internal(set) var cancelled = 0
    /// The call failed, and its result type is not the value type of the fallback.
    package internal(set) var otherType = 0

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
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Source: Hashable, Sendable {
        /// The operation succeeded.
        case fresh
        /// The operation failed. The value is the result of an earlier call, `age` ago.
        case remembered(age: Duration)
        /// The operation failed, and the substitute closure returned the value.
        case substitute
    }

    /// The value.
    public let value: Value
    /// The source of the value.
    public let source: Source
    /// The error of the operation; nil if the value is fresh.
    public let error: (any Error)?
}
