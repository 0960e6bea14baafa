// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A circuit breaker did not admit a call: the operation was not run.
public struct CircuitOpenError: MessageError, CustomStringConvertible {
    /// The breaker's name, its state, why it opened and for how long.
    public let rejection: Rejection
    /// The last error that was a failure before the breaker rejected the call; nil where none was told to it.
    public let cause: (any Error)?

    /// The breaker's name.
    public let breaker: String

    init(_ breaker: String, rejection: Rejection, cause: (any Error)?) {
        self.breaker = breaker
        self.rejection = rejection
        self.cause = cause
    }

    /// The state that rejected the call.
    public var state: CircuitState { rejection.state }
    /// Why the breaker opened.
    public var reason: TransitionReason { rejection.cause }
    /// How long calls will be rejected; nil where that depends on probes in flight or on an operator.
    public var remaining: Duration? { rejection.remaining }
    /// The generation that rejected the call.
    public var generation: UInt64 { rejection.generation }
    /// The type of ``cause``, such as `Shop.PaymentError`.
    public var causeType: String? { cause.map { String(reflecting: type(of: $0)) } }
    /// ``cause`` in words.
    public var causeDescription: String? { cause.map { String(describing: $0) } }

    /// The same text as ``description``.
    public var message: String { description }

    /// For a person: which breaker, why, and when to try again.
    public var description: String {
        let reason = causeDescription.map { "; the last error was: \($0)" } ?? ""
        let wait = remaining.map { ", try again in \($0)" } ?? ""
        return "The circuit breaker \(breaker) is \(state.rawValue) (\(self.reason))\(wait)\(reason)"
    }
}

extension CircuitOpenError: Hashable {
    /// Whether breaker, state, reason, time and the text of the cause are the same.
    public static func == (left: CircuitOpenError, right: CircuitOpenError) -> Bool {
        left.rejection == right.rejection && left.causeType == right.causeType
            && left.causeDescription == right.causeDescription
    }

    /// Hashes the rejection.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rejection)
    }
}
