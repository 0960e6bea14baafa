// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A telemetry cannot be made as it was asked for.
public struct TelemetryError: AxiomError, Hashable {
    /// What is wrong.
    public let code: ErrorCode
    /// The input and what is wrong with it.
    public let message: String
    /// What to change.
    public let recoverySuggestion: String

    /// Without telemetry the application works, unobserved.
    public var severity: ErrorSeverity { .nonCritical }

    static let registryTaken = TelemetryError(
        code: .registryTaken,
        message: "The registry holds the metrics of another telemetry.",
        recoverySuggestion: "Give each telemetry a registry of its own, and each orchestrator a telemetry of its own."
    )

    static func negativeLeakThreshold(_ threshold: Duration) -> TelemetryError {
        TelemetryError(
            code: .invalidLeakThreshold,
            message: "leakThreshold is \(threshold): no context can live for less than no time.",
            recoverySuggestion: "Give 0 s or more; 30 s is usual."
        )
    }
}

extension ErrorCode {
    /// A registry was given to two telemetries.
    public static let registryTaken: ErrorCode = "AXIOM_TELEMETRY_001"
    /// The time after which a context is suspected of a leak is negative.
    public static let invalidLeakThreshold: ErrorCode = "AXIOM_TELEMETRY_002"
}
