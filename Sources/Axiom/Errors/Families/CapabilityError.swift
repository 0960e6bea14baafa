// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A capability cannot be used.
public struct CapabilityError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension CapabilityError {
    static func initializationFailed(_ name: String, cause: any Error) -> Self {
        CapabilityError(
            ErrorFacts(
                .capabilityInitializationFailed,
                "The required capability \(name) could not be initialised: \(String(clause: cause)).",
                recoverySuggestion:
                    "Mend the cause, or register \(name) with requirement: .optional to start without it.",
                origin: ComponentDescriptor(kind: .capability, name: name),
                cause: cause
            )
        )
    }

    /// There is no working instance of the capability `name`, because `reason`.
    public static func unavailable(_ name: String, because reason: String, cause: (any Error)? = nil) -> Self {
        CapabilityError(
            ErrorFacts(
                .capabilityUnavailable,
                "The capability \(name) is not available: \(reason.clause).",
                origin: ComponentDescriptor(kind: .capability, name: name),
                cause: cause
            )
        )
    }

    /// The capability `name` did not answer within `limit`.
    public static func timedOut(_ name: String, after limit: Duration) -> Self {
        CapabilityError(
            ErrorFacts(
                .capabilityTimedOut,
                "The capability \(name) did not answer within \(limit).",
                origin: ComponentDescriptor(kind: .capability, name: name)
            )
        )
    }
}
