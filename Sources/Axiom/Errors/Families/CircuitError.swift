// SPDX-License-Identifier: Apache-2.0

/// A circuit breaker refused a call: what it protects was not asked.
public struct CircuitError: ErrorFamily {
    /// What the error says.
    public let facts: ErrorFacts

    /// Makes an error that says `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Its codes

extension CircuitError {
    /// `breaker` is open.
    ///
    /// - Parameters:
    ///   - remaining: How long it stays open, as far as that is known.
    ///   - cause: The failure that opened it.
    public static func open(_ breaker: String, for remaining: Duration? = nil, cause: (any Error)? = nil) -> Self {
        let time = remaining.map { " for \($0)" } ?? ""
        return CircuitError(
            ErrorFacts(.circuitOpen, "The circuit breaker \(breaker) is open\(time).", cause: cause)
        )
    }

    /// An operator opened `breaker`.
    public static func forcedOpen(_ breaker: String) -> Self {
        CircuitError(
            ErrorFacts(.circuitForcedOpen, "The circuit breaker \(breaker) was opened by an operator.")
        )
    }

    /// `breaker` is half open, and all its probes are under way.
    public static func probing(_ breaker: String) -> Self {
        CircuitError(
            ErrorFacts(.circuitProbing, "The circuit breaker \(breaker) is half open and waits for its probes.")
        )
    }
}
