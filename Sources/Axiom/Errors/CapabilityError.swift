// SPDX-License-Identifier: Apache-2.0

/// A capability cannot be used.
public struct CapabilityError: AxiomError {
    /// What is wrong.
    public let code: ErrorCode
    /// The capability and what happened.
    public let message: String
    /// What can be done.
    public let recoverySuggestion: String
    /// How much harm it does.
    public let severity: ErrorSeverity
    /// What the capability itself threw, if it threw.
    public let cause: (any Error)?

    static func initializationFailed(_ name: String, cause: any Error) -> Self {
        CapabilityError(
            code: .capabilityInitializationFailed,
            message: "The required capability \(name) could not be initialised: \(cause).",
            recoverySuggestion: "Mend the cause, or register \(name) with requirement: .optional to start without it.",
            severity: .critical,
            cause: cause
        )
    }

    static func unavailable(_ name: String, because reason: String, cause: (any Error)? = nil) -> Self {
        CapabilityError(
            code: .capabilityUnavailable,
            message: "The capability \(name) is not available: \(reason).",
            recoverySuggestion: "Ask isAvailable first, or serve what was cached until the capability is back.",
            severity: .nonCritical,
            cause: cause
        )
    }
}
