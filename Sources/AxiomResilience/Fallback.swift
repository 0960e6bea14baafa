// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Supplies a value if the operation fails.
///
/// ```swift
/// let prices = try Fallback("prices") { error in PriceList.printed }
/// let list = try await prices.run { try await server.prices() }
/// ```
///
/// It supplies values for calls whose result type is exactly `Value`. For another type it counts the failure and rethrows
/// the error. It never supplies a value for a cancelled call. For the last value that a server gave, use the `Cache` of
/// AxiomStorage, whose `answer` says how old it is.
public final class Fallback<Value: Sendable>: ResilienceStrategy, DescribedStrategy, CountedFallback {
    /// The name, for events and metrics.
    package let name: String
    private let applies: @Sendable (any Error) -> Bool
    private let substitute: @Sendable (any Error) async throws -> Value
    private let counters = Lock(FallbackCounts())

    /// Creates a fallback that supplies the value of `substitute`.
    ///
    /// - Parameters:
    ///   - name: The name, for events and metrics.
    ///   - applies: Whether to supply a value for an error. The default is true for all errors. Not called if
    ///     the caller was cancelled.
    ///   - substitute: Returns the value. Its argument is the operation's error. The call rethrows what it throws.
    /// - Throws: ``ResilienceError`` if the name is empty.
    public init(
        _ name: String,
        applies: @escaping @Sendable (any Error) -> Bool = { _ in true },
        file: String = #fileID,
        line: Int = #line,
        substitute: @escaping @Sendable (any Error) async throws -> Value
    ) throws {
        try SettingCheck(subject: "Fallback \"\(name)\"", file: file, line: line).requireName(name)
        self.name = name
        self.applies = applies
        self.substitute = substitute
    }

    /// How the calls have ended.
    package var counts: FallbackCounts { counters.withLock { $0 } }

    package var kind: StrategyKind { .fallback }

    package var outline: String { "Fallback \"\(name)\": \(Value.self), a substitute" }

    /// Runs `operation` on the actor of the caller, and supplies a value if it fails and `R` is `Value`.
    ///
    /// - Throws: The error of the operation or of the substitute, if there is no value.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        requireIsolation(isolation)
        let value: R
        do {
            value = try await operation()
        } catch {
            return try await replacement(for: error, isolation: isolation)
        }
        count { $0.fresh += 1 }
        return value
    }

    /// Not inlined: the look-up of its types at run time would double the cost of a call that succeeds.
    @inline(never)
    private func replacement<R>(for error: any Error, isolation: isolated (any Actor)?) async throws -> R {
        if isCancelled(error) {
            count { $0.cancelled += 1 }
            throw error
        }
        guard R.self == Value.self else {
            count { $0.otherType += 1 }
            throw error
        }
        guard applies(error) else {
            count { $0.failed += 1 }
            throw error
        }
        let value: Value
        do {
            value = try await substitute(error)
        } catch let failure {
            count { if isCancelled(failure) { $0.cancelled += 1 } else { $0.failed += 1 } }
            throw failure
        }
        count { $0.substitute += 1 }
        guard let value = value as? R else { throw error }
        return value
    }

    /// Whether the caller no longer wants a value.
    private func isCancelled(_ error: any Error) -> Bool { Task.isCancelled || Cancellation.isIntended(error) }

    private func count(_ change: (inout FallbackCounts) -> Void) {
        counters.withLock { change(&$0) }
    }
}

/// How the calls of a ``Fallback`` have ended, all read at one instant. The counts never decrease.
package struct FallbackCounts: Hashable, Sendable {
    /// The operation succeeded.
    package internal(set) var fresh = 0
    /// The call returned the value of the substitute closure.
    package internal(set) var substitute = 0
    /// The call failed: there was no value, or the fallback does not apply to the error.
    package internal(set) var failed = 0
    /// The call was cancelled.
    package internal(set) var cancelled = 0
    /// The call failed, and its result type is not the value type of the fallback.
    package internal(set) var otherType = 0

    /// Each count with its metric label, in snake case.
    package var byOutcome: [(outcome: String, count: Int)] {
        [
            ("fresh", fresh), ("substitute", substitute), ("failed", failed), ("cancelled", cancelled),
            ("other_type", otherType),
        ]
    }
}

/// A ``Fallback`` without its value type, for metrics.
package protocol CountedFallback: ResilienceStrategy, AnyObject {
    var name: String { get }
    /// How its calls have ended.
    var counts: FallbackCounts { get }
}
