// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

extension CircuitError {
    /// Makes an error of the framework from the error of a circuit breaker that refused a call.
    public init(_ error: CircuitOpenError) {
        let (breaker, remaining, reason, cause) = (error.breaker, error.remaining, error.reason, error.cause)
        switch error.state {
        case .forcedOpen: self = .forcedOpen(breaker, reason: reason, cause: cause)
        case .halfOpen: self = .probing(breaker, for: remaining, reason: reason, cause: cause)
        case .open, .closed, .disabled, .shadow:
            self = .open(breaker, for: remaining, reason: reason, cause: cause)
        }
    }
}

extension CircuitError: RetryAdvising {
    /// Advises against a retry, like `CircuitOpenError`: an immediate retry would call a service that is known to be
    /// broken. ``remaining`` is the time after which a retry may succeed; the user may always retry.
    public var retryAdvice: RetryDecision { .stop }
}
