// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker: ResilienceStrategy {
    /// ``StrategyKind/circuitBreaker``.
    public var kind: StrategyKind { .circuitBreaker }

    /// The name and what the breaker does.
    public var outline: String { "CircuitBreaker \"\(name)\": \(configuration.mode.rawValue)" }
}

extension CircuitOpenError: RetryAdvising {
    /// Never to call again what is broken: who wants to wait until probes are admitted says so in a retry's `onError`.
    public var retryAdvice: RetryDecision { .stop }
}
