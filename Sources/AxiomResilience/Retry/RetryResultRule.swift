// SPDX-License-Identifier: Apache-2.0

/// Tells which results of one type count as failures.
///
/// ```swift
/// configuration.resultRules = [
///     RetryResultRule(Response.self) { $0.status == 503 ? .retry(after: $0.retryAfter) : .stop }
/// ]
/// ```
public struct RetryResultRule: Sendable {
    /// Nil where the result has another type.
    let decide: @Sendable (any Sendable) -> RetryDecision?

    /// Makes a rule for results of type `R`; `decide` says ``RetryDecision/stop`` for those that are good.
    public init<R: Sendable>(_: R.Type, _ decide: @escaping @Sendable (R) -> RetryDecision) {
        self.decide = { ($0 as? R).map(decide) }
    }
}
