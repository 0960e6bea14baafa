// SPDX-License-Identifier: Apache-2.0

/// One way to make a call more reliable: to repeat it, bound it, refuse it, or answer in its place.
///
/// Strategies are put together by ``Policy``, and a policy is itself a strategy. A strategy may run the operation any
/// number of times, none included, but never after ``run(_:)`` has returned.
public protocol ResilienceStrategy: Sendable {
    /// What the strategy does, for the description of a ``Policy`` and its remarks; ``StrategyKind/other`` unless told.
    var kind: StrategyKind { get }

    /// The name and the settings in one line, for the description of a ``Policy``; the type's name unless told.
    var outline: String { get }

    /// Runs `operation` under the strategy.
    ///
    /// - Throws: What the operation throws, or the strategy's own error where it refused or gave up.
    func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R
}

extension ResilienceStrategy {
    /// ``StrategyKind/other``.
    public var kind: StrategyKind { .other }

    /// The name of the type.
    public var outline: String { "\(type(of: self))" }
}
