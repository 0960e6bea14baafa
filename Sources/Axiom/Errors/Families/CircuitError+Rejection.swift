// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

extension CircuitError {
    /// A call that a circuit breaker did not admit, as an error of the framework.
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
    /// Never to call again at once what is broken, as `CircuitOpenError` advises: ``remaining`` tells when it may be
    /// worthwhile, and a person may always try again.
    public var retryAdvice: RetryDecision { .stop }
}
