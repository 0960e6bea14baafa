// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

/// A circuit breaker refused a call; the protected operation did not run.
///
/// The error's ``cause`` is the failure that opened the breaker, if it is known.
public struct CircuitError: ErrorFamily {
    /// The facts of the error.
    package let facts: ErrorFacts
    /// The breaker's name; nil if the error was made from facts alone.
    public let breaker: String?
    /// How long calls will be refused, measured from this refusal; nil if that is unknown or depends on probes under
    /// way or on an operator.
    public let remaining: Duration?
    /// Why the breaker opened; nil if that is unknown.
    package let reason: TransitionReason?

    /// Makes an error from `facts`, without a breaker.
    package init(_ facts: ErrorFacts) {
        self.init(facts, breaker: nil)
    }

    init(_ facts: ErrorFacts, breaker: String?, remaining: Duration? = nil, reason: TransitionReason? = nil) {
        self.facts = facts
        self.breaker = breaker
        self.remaining = remaining
        self.reason = reason
    }

    /// The state in which the breaker refused the call, according to ``code``.
    public var state: CircuitState {
        switch code {
        case .circuitForcedOpen: .forcedOpen
        case .circuitProbing: .halfOpen
        default: .open
        }
    }
}

// MARK: - Codes

extension CircuitError {
    /// `breaker` is open.
    ///
    /// - Parameters:
    ///   - remaining: How long it stays open, if known.
    ///   - reason: Why it opened.
    ///   - cause: The failure that opened it.
    package static func open(
        _ breaker: String,
        for remaining: Duration? = nil,
        reason: TransitionReason? = nil,
        cause: (any Error)? = nil
    ) -> Self {
        let time = remaining.map { " for \($0)" } ?? ""
        return CircuitError(
            ErrorFacts(.circuitOpen, "The circuit breaker \(breaker) is open\(time).", cause: cause),
            breaker: breaker,
            remaining: remaining,
            reason: reason
        )
    }

    /// An operator opened `breaker`.
    ///
    /// - Parameters:
    ///   - reason: Why it opened: the operator's order.
    ///   - cause: The last failure before the order.
    package static func forcedOpen(
        _ breaker: String,
        reason: TransitionReason? = .operatorOrdered,
        cause: (any Error)? = nil
    ) -> Self {
        CircuitError(
            ErrorFacts(
                .circuitForcedOpen,
                "The circuit breaker \(breaker) was opened by an operator.",
                cause: cause
            ),
            breaker: breaker,
            reason: reason
        )
    }

    /// `breaker` is half open, and all its probes are under way.
    ///
    /// - Parameters:
    ///   - remaining: The time until it admits more probes, if known.
    ///   - reason: Why it opened.
    ///   - cause: The last failure, which opened it.
    package static func probing(
        _ breaker: String,
        for remaining: Duration? = nil,
        reason: TransitionReason? = nil,
        cause: (any Error)? = nil
    ) -> Self {
        CircuitError(
            ErrorFacts(
                .circuitProbing,
                "The circuit breaker \(breaker) is half open and waits for its probes.",
                cause: cause
            ),
            breaker: breaker,
            remaining: remaining,
            reason: reason
        )
    }
}

extension CircuitError {
    /// Makes an error of the framework from the error of a circuit breaker that refused a call.
    init(_ error: CircuitOpenError) {
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
