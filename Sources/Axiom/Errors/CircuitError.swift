// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomResilience

/// A circuit breaker refused a call; the protected operation did not run.
///
/// The error's ``cause`` is the failure that opened the breaker, if it is known.
public struct CircuitError: ErrorFamily {
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
        (self.facts, breaker, remaining, reason) = (facts, nil, nil, nil)
    }

    private init(
        _ code: ErrorCode,
        _ message: String,
        _ breaker: String,
        for remaining: Duration? = nil,
        _ reason: TransitionReason?,
        _ cause: (any Error)?
    ) {
        facts = ErrorFacts(code, message, cause: cause)
        (self.breaker, self.remaining, self.reason) = (breaker, remaining, reason)
    }

    /// The state in which the breaker refused the call, according to ``code``.
    public var state: CircuitState {
        switch code {
        case .circuitForcedOpen: .forcedOpen
        case .circuitProbing: .halfOpen
        default: .open
        }
    }

    // MARK: - Codes

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
        let time = remaining.flatMap { QuantityFormat.duration($0.inSeconds) }.map { " for \($0)" } ?? ""
        let message = "The circuit breaker \(breaker) is open\(time)."
        return CircuitError(.circuitOpen, message, breaker, for: remaining, reason, cause)
    }

    /// An operator opened `breaker`.
    ///
    /// - Parameter cause: The last failure before the order.
    package static func forcedOpen(
        _ breaker: String,
        reason: TransitionReason? = .operatorOrdered,
        cause: (any Error)? = nil
    ) -> Self {
        let message = "The circuit breaker \(breaker) was opened by an operator."
        return CircuitError(.circuitForcedOpen, message, breaker, reason, cause)
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
        let message = "The circuit breaker \(breaker) is half open and waits for its probes."
        return CircuitError(.circuitProbing, message, breaker, for: remaining, reason, cause)
    }

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
