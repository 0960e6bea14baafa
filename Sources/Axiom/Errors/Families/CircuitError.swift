// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

/// A circuit breaker refused a call; the protected operation did not run.
///
/// The error's ``cause`` is the failure that opened the breaker, if it is known.
public struct CircuitError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts
    /// The breaker's name; nil if the error was made from facts alone.
    public let breaker: String?
    /// How long calls will be refused, measured from this refusal; nil if that is unknown or depends on probes under
    /// way or on an operator.
    public let remaining: Duration?
    /// Why the breaker opened; nil if that is unknown.
    public let reason: TransitionReason?

    /// Makes an error from `facts`, without a breaker.
    public init(_ facts: ErrorFacts) {
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
    public static func open(
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
    public static func forcedOpen(
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
    public static func probing(
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
