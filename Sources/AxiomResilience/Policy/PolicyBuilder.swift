// SPDX-License-Identifier: Apache-2.0

/// Lists the strategies of a ``Policy``, outermost first.
@resultBuilder
public enum PolicyBuilder {
    /// One strategy.
    public static func buildExpression(_ strategy: any ResilienceStrategy) -> [any ResilienceStrategy] { [strategy] }
    /// Strategies that were listed before.
    public static func buildExpression(_ strategies: [any ResilienceStrategy]) -> [any ResilienceStrategy] {
        strategies
    }
    /// All of the list.
    public static func buildBlock(_ parts: [any ResilienceStrategy]...) -> [any ResilienceStrategy] {
        parts.flatMap { $0 }
    }
    /// An `if` without `else`.
    public static func buildOptional(_ part: [any ResilienceStrategy]?) -> [any ResilienceStrategy] { part ?? [] }
    /// The `if` of an `else`.
    public static func buildEither(first part: [any ResilienceStrategy]) -> [any ResilienceStrategy] { part }
    /// The `else` of an `if`.
    public static func buildEither(second part: [any ResilienceStrategy]) -> [any ResilienceStrategy] { part }
    /// A `for`.
    public static func buildArray(_ parts: [[any ResilienceStrategy]]) -> [any ResilienceStrategy] {
        parts.flatMap { $0 }
    }
}
