// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

extension CircuitError {
    /// A call that a circuit breaker did not admit, as an error of the framework.
    public init(_ error: CircuitOpenError) {
        switch error.state {
        case .forcedOpen: self = .forcedOpen(error.breaker)
        case .halfOpen: self = .probing(error.breaker)
        case .open, .closed, .disabled, .shadow:
            self = .open(error.breaker, for: error.remaining, cause: error.cause)
        }
    }
}
