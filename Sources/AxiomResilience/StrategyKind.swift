// SPDX-License-Identifier: Apache-2.0

/// What a ``ResilienceStrategy`` does. More kinds may be added.
public struct StrategyKind: Hashable, Sendable, CustomStringConvertible {
    /// The kind as it is printed, in camel case.
    public let description: String

    /// Answers in the operation's place.
    public static let fallback = StrategyKind(description: "fallback")
    /// Repeats the operation.
    public static let retry = StrategyKind(description: "retry")
    /// Refuses calls while the operation keeps failing.
    public static let circuitBreaker = StrategyKind(description: "circuitBreaker")
    /// Bounds how many calls run at once.
    public static let bulkhead = StrategyKind(description: "bulkhead")
    /// Bounds how long a call may take.
    public static let timeout = StrategyKind(description: "timeout")
    /// Several strategies, one around the other.
    public static let policy = StrategyKind(description: "policy")
    /// A strategy of the user's own.
    public static let other = StrategyKind(description: "other")
}
