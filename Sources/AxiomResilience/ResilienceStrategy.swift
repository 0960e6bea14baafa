// SPDX-License-Identifier: Apache-2.0

/// A way to make a call more reliable: repeat it, limit it, reject it, or supply another result.
///
/// ``Policy`` combines strategies, and a policy is itself a strategy. A strategy may run the operation any number of
/// times, including zero, but never after `run` has returned.
public protocol ResilienceStrategy: Sendable {
    /// Runs `operation` under the strategy, on the actor of the caller.
    ///
    /// The operation runs on `isolation` as well, also when the strategy runs it in a child task. It may therefore use
    /// what the caller's actor owns, and its result need not be `Sendable`.
    ///
    /// - Note: If your strategy awaits something before the operation, call `isolation?.preconditionIsolated()` between the
    ///   two. Swift 6.3 otherwise omits the switch back to the actor.
    /// - Parameters:
    ///   - isolation: The actor of the caller; nil if the caller has none.
    ///   - operation: The call.
    /// - Throws: The error of the operation, or the strategy's own error if it rejected the call or gave up.
    func run<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R
}

extension ResilienceStrategy {
    /// Runs `operation` under the strategy, on the actor of the caller.
    ///
    /// - Throws: The error of the operation, or the strategy's own error if it rejected the call or gave up.
    public func run<R>(
        _ operation: nonisolated(nonsending) () async throws -> R,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> R {
        requireIsolation(isolation)
        return try await run(isolation: isolation, operation)
    }
}

/// Verifies that the caller runs on `isolation`. Call it before the operation if no other synchronous call comes first.
///
/// Swift 6.3 does not switch to the actor at the start of a function, or after an `await`, if the next thing the function
/// does is to await another function. But a `nonisolated(nonsending)` operation does not switch by itself: it would run on
/// the wrong executor. A synchronous call between the two prevents that.
@inline(__always)
func requireIsolation(_ isolation: (any Actor)?) {
    isolation?.preconditionIsolated("A strategy must run its operation on the actor of the caller.")
}

/// What a strategy does, as the description of a ``Policy`` prints it.
package enum StrategyKind: String, Sendable {
    /// Returns another value if the operation fails.
    case fallback
    /// Repeats the operation.
    case retry
    /// Rejects calls while the operation keeps failing.
    case circuitBreaker
    /// Limits how many calls run at once.
    case bulkhead
    /// Limits how long a call may take.
    case timeout
    /// Limits how many calls begin per time.
    case rateLimiter
    /// Several strategies, one around the other.
    case policy
    /// A strategy of the user's own.
    case other
}

/// A strategy that ``Policy`` can describe by more than the name of its type.
package protocol DescribedStrategy: ResilienceStrategy {
    /// What the strategy does.
    var kind: StrategyKind { get }

    /// The type, the name and the settings in one line, such as `Timeout "checkout": 2.0 seconds`.
    var outline: String { get }
}

extension ResilienceStrategy {
    /// The kind of a ``DescribedStrategy``, and ``StrategyKind/other`` for other types.
    package var describedKind: StrategyKind { (self as? any DescribedStrategy)?.kind ?? .other }

    /// The outline of a ``DescribedStrategy``, and the name of the type for other types.
    package var describedOutline: String { (self as? any DescribedStrategy)?.outline ?? "\(type(of: self))" }
}
