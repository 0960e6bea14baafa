// SPDX-License-Identifier: Apache-2.0

/// Strategies around one another, in the order in which they are written: the first is the outermost.
///
/// ```swift
/// let policy = try Policy("checkout") {
///     try Fallback("prices", remembering: .seconds(60)) { _ in PriceList.printed }
///     try Timeout("checkout in all", .seconds(8))
///     try Retry("checkout", RetryConfiguration())
///     bulkhead
///     breaker
///     try Timeout("checkout", .seconds(2))
/// }
/// let prices = try await policy.run { try await server.prices() }
/// ```
///
/// That order is the recommended one, and each place has its reason:
///
/// 1. ``Fallback`` answers only when all else has failed.
/// 2. ``Timeout`` bounds what the caller waits, retries included. (``RetryConfiguration/totalTimeout`` does the same,
///    and knows that a wait will not end in time before it begins.)
/// 3. ``Retry`` repeats all that is within, so that every attempt is counted by the breaker and takes its own place.
/// 4. ``Bulkhead`` is within the retry, so that no place is held during a wait between attempts, and around the
///    breaker, to which a full bulkhead is no failure of the server.
/// 5. The circuit breaker sees each attempt, and its timeouts.
/// 6. ``Timeout`` bounds one attempt.
///
/// **Timeouts and breakers agree in every order.** A deadline that expires is a failure of each breaker through which the
/// call has gone, whether the ``Timeout``, or the ``Retry`` that set it, is inside or outside. It follows that a
/// ``Timeout`` around a ``Retry`` or a ``Bulkhead`` may leave little time for the last attempt, and that the breaker counts
/// this attempt as a failure: make the outer limit longer than the attempts that it must hold.
///
/// Any order runs. ``remarks`` says what another order does. Only a strategy within itself is refused, because a bulkhead
/// would wait for its own place.
public struct Policy: ResilienceStrategy, CustomStringConvertible {
    /// The name of the policy.
    public let name: String
    /// The strategies, outermost first.
    public let strategies: [any ResilienceStrategy]

    /// Puts strategies together, outermost first. An empty list runs operations as they are.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or for one strategy (the same object) twice, be it within a
    ///   policy in the list; and what the list throws.
    public init(
        _ name: String,
        file: String = #fileID,
        line: Int = #line,
        @PolicyBuilder _ strategies: () throws -> [any ResilienceStrategy]
    ) throws {
        let check = SettingCheck(subject: "Policy \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        self.name = name
        self.strategies = try strategies()
        try PolicyOrder(self).requireDistinct(check)
    }

    /// ``StrategyKind/policy``.
    public var kind: StrategyKind { .policy }

    /// The name and the kinds in their order.
    public var outline: String {
        "Policy \"\(name)\": " + strategies.map(\.kind.description).joined(separator: " > ")
    }

    /// What the order does that may not be meant, in words, such as that retries multiply. Empty for most orders.
    public var remarks: [String] { PolicyOrder(self).remarks }

    /// The strategies in their order, each in one line, and the remarks.
    public var description: String {
        let lines = PolicyOrder(self).flat.enumerated().map { "  \($0.offset + 1). \($0.element.outline)" }
        let notes = remarks.map { "  note: \($0)" }
        return (["Policy \"\(name)\", outermost first:"] + lines + notes).joined(separator: "\n")
    }

    /// Runs `operation` within all strategies.
    ///
    /// - Throws: What the outermost strategy throws.
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        try await run(from: 0, operation)
    }

    private func run<R: Sendable>(from index: Int, _ operation: @Sendable () async throws -> R) async throws -> R {
        switch strategies.count - index {
        case 0: try await operation()
        case 1: try await strategies[index].run(operation)
        default: try await strategies[index].run { try await run(from: index + 1, operation) }
        }
    }
}
