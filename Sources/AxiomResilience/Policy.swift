// SPDX-License-Identifier: Apache-2.0

/// A list of strategies that wrap one another. The first one in the list is the outermost.
///
/// ```swift
/// let policy = try Policy("checkout") {
///     try Fallback("prices") { _ in PriceList.printed }
///     try Timeout("checkout in all", .seconds(8))
///     try Retry("checkout")
///     bulkhead
///     breaker
///     try Timeout("checkout", .seconds(2))
/// }
/// let prices = try await policy.run { try await server.prices() }
/// ```
///
/// This order is the recommended one:
///
/// 1. ``Fallback`` supplies a value only if all other strategies have failed.
/// 2. ``Timeout`` limits how long the caller waits, retries included.
/// 3. ``Retry`` repeats everything inside it. The breaker counts each attempt, and each attempt needs its own slot in
///    the bulkhead.
/// 4. ``Bulkhead`` is inside the retry, so that a call holds no slot while it waits between attempts. It is outside the
///    breaker, so that the breaker does not count a full bulkhead as a failure of the server.
/// 5. The circuit breaker sees each attempt and its timeout.
/// 6. ``Timeout`` limits one attempt.
///
/// **Timeouts and breakers work in any order.** An expired deadline is a failure for each breaker that the call has
/// entered, whether the ``Timeout`` that set the deadline is inside or outside of the breaker. An outer
/// ``Timeout`` may therefore leave little time for the last attempt, and the breaker counts that attempt as a failure.
/// Make the outer limit longer than the attempts inside it.
///
/// Every order is valid. ``description`` notes the consequences of an unusual one. A policy rejects only a strategy
/// inside itself, because a bulkhead would wait for its own slot.
public struct Policy: ResilienceStrategy, DescribedStrategy, CustomStringConvertible {
    package let name: String
    /// The strategies, outermost first.
    package let strategies: [any ResilienceStrategy]

    /// Combines strategies, outermost first. With an empty list, the policy runs operations unchanged.
    ///
    /// - Throws: ``ResilienceError`` if the name is empty or if the same object is in the list twice, directly or inside
    ///   another policy; and what the list throws.
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

    package var kind: StrategyKind { .policy }

    package var outline: String {
        "Policy \"\(name)\": " + strategies.map(\.describedKind.rawValue).joined(separator: " > ")
    }

    /// Consequences of the order that may not be intended, such as that retries multiply. Empty for most orders.
    package var remarks: [String] { PolicyOrder(self).remarks }

    /// The strategies in order, one per line, followed by the remarks.
    public var description: String {
        let lines = PolicyOrder(self).flat.enumerated().map { "  \($0.offset + 1). \($0.element.describedOutline)" }
        let notes = remarks.map { "  note: \($0)" }
        return (["Policy \"\(name)\", outermost first:"] + lines + notes).joined(separator: "\n")
    }

    /// Runs `operation` inside all strategies, on the actor of the caller.
    ///
    /// - Throws: The error of the outermost strategy.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        try await run(from: 0, isolation: isolation, operation)
    }

    /// Runs `operation` inside the strategies from `index` on.
    private func run<R>(
        from index: Int,
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        requireIsolation(isolation)
        switch strategies.count - index {
        case 0: return try await operation()
        case 1: return try await strategies[index].run(isolation: isolation, operation)
        default:
            return try await strategies[index].run(isolation: isolation) {
                try await run(from: index + 1, isolation: #isolation, operation)
            }
        }
    }
}

/// Builds the list of strategies of a ``Policy``, outermost first.
@resultBuilder
public enum PolicyBuilder {
    /// One strategy.
    public static func buildExpression(_ strategy: any ResilienceStrategy) -> [any ResilienceStrategy] { [strategy] }
    /// An array of strategies.
    public static func buildExpression(_ strategies: [any ResilienceStrategy]) -> [any ResilienceStrategy] {
        strategies
    }
    /// The whole list.
    public static func buildBlock(_ parts: [any ResilienceStrategy]...) -> [any ResilienceStrategy] {
        parts.flatMap { $0 }
    }
    /// An `if` without `else`.
    public static func buildOptional(_ part: [any ResilienceStrategy]?) -> [any ResilienceStrategy] { part ?? [] }
    /// The first branch of an `if` with `else`.
    public static func buildEither(first part: [any ResilienceStrategy]) -> [any ResilienceStrategy] { part }
    /// The second branch of an `if` with `else`.
    public static func buildEither(second part: [any ResilienceStrategy]) -> [any ResilienceStrategy] { part }
    /// A `for` loop.
    public static func buildArray(_ parts: [[any ResilienceStrategy]]) -> [any ResilienceStrategy] {
        parts.flatMap { $0 }
    }
}
