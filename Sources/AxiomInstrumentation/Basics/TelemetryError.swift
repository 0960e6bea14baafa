// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import AxiomResilience

/// A telemetry cannot be created, or cannot be used as requested.
public struct TelemetryError: AxiomError, Hashable {
    /// What is wrong.
    public let code: ErrorCode
    /// The input and what is wrong with it.
    public let message: String
    /// What to change.
    public let recoverySuggestion: String

    /// Only the application's developers can change the values.
    public var suggestedAction: ErrorAction { .contactSupport }

    static let registryTaken = TelemetryError(
        code: .registryTaken,
        message: "The registry holds the metrics of another telemetry.",
        recoverySuggestion: "Give each telemetry a registry of its own, and each orchestrator a telemetry of its own."
    )

    static let telemetryTaken = TelemetryError(
        code: .telemetryTaken,
        message: "The telemetry observes another orchestrator, with whose components these would be mixed up.",
        recoverySuggestion: "Give each orchestrator a telemetry of its own, and that a registry of its own."
    )

    static func negativeLeakThreshold(_ threshold: Duration) -> TelemetryError {
        TelemetryError(
            code: .invalidLeakThreshold,
            message: "leakThreshold is \(threshold): no context can live for less than no time.",
            recoverySuggestion: "Give 0 s or more; 30 s is usual."
        )
    }

    static func noErrorGroups(_ limit: Int) -> TelemetryError {
        TelemetryError(
            code: .invalidErrorGroupLimit,
            message: "errorGroupLimit is \(limit): the error monitor could not tell one error from another.",
            recoverySuggestion: "Give 1 or more; 200 is usual."
        )
    }

    static func invalidBreaker(_ component: String, _ cause: ResilienceError) -> TelemetryError {
        TelemetryError(
            code: .invalidBreaker,
            message: "The circuit breaker of \(component) cannot be made: \(cause.description.clause).",
            recoverySuggestion: "Change the option that the message names."
        )
    }

    static func twoBreakers(_ component: String) -> TelemetryError {
        TelemetryError(
            code: .invalidBreaker,
            message: "Two circuit breakers are given under the name \(component).",
            recoverySuggestion: "Give each component one rule, and each breaker of your own a name of its own."
        )
    }

    static func unknownBudget(_ name: String, known: [String]) -> TelemetryError {
        TelemetryError(
            code: .unknownBudget,
            message: "A rule names the budget \"\(name)\", which does not exist.",
            recoverySuggestion: "Use one of \(known.joined(separator: ", ")), or add it with .add(…)."
        )
    }

    static func invalidBudget(_ message: String, _ remedy: String) -> TelemetryError {
        TelemetryError(code: .invalidBudget, message: message, recoverySuggestion: remedy)
    }

    static func twoLimits(_ scope: String) -> TelemetryError {
        TelemetryError(
            code: .invalidBudget,
            message: "Two limits are given for the budget \(scope).",
            recoverySuggestion: "Give one."
        )
    }

    static func twoStrategies(_ kind: String, _ name: String) -> TelemetryError {
        TelemetryError(
            code: .strategyNameTaken,
            message: "Another \(kind) is watched under the name \(name).",
            recoverySuggestion: "Give each strategy of one kind a name of its own."
        )
    }

    static func breakerNameTaken(_ component: String, insteadCalled name: String) -> TelemetryError {
        TelemetryError(
            code: .strategyNameTaken,
            message:
                "A circuit breaker is watched under the name of \(component), whose own is called \(name) therefore.",
            recoverySuggestion: "Give each breaker of your own a name that no component has."
        )
    }

    static func invalidSignal(_ family: String, _ problem: String) -> TelemetryError {
        TelemetryError(
            code: .invalidSignal,
            message: "The signal \(family) cannot be recorded: \(problem.clause).",
            recoverySuggestion: "Change the declaration of the family, or the values, as the message says."
        )
    }

    static func invalidSpanMemory(_ bytes: Int) -> TelemetryError {
        TelemetryError(
            code: .invalidSpanMemory,
            message: "The memory of the flight recorder is \(bytes) bytes.",
            recoverySuggestion: "Give 524,288 (512 KiB) to 268,435,456 bytes (256 MiB), or 0 to record no spans."
        )
    }

    static func noSpanMemory(_ bytes: Int) -> TelemetryError {
        TelemetryError(
            code: .invalidSpanMemory,
            message: "The system has no \(bytes) bytes for the flight recorder.",
            recoverySuggestion: "Give it less memory, or 0 to record no spans."
        )
    }

    static let tooManyRecorders = TelemetryError(
        code: .invalidSpanMemory,
        message: "The process has 65,535 flight recorders, which is the maximum.",
        recoverySuggestion: "Release telemetries that are no longer used, or record no spans."
    )

    static let spanExportRefused = TelemetryError(
        code: .spanExportRefused,
        message: "The telemetry already records spans of components, or already exports them.",
        recoverySuggestion: "Call exportSpans(to:) once, before the start of the orchestrator."
    )

    static func invalidRegressions(_ problem: String) -> TelemetryError {
        TelemetryError(
            code: .invalidRegressions,
            message: "Durations cannot be recorded or judged as they should be: \(problem.clause).",
            recoverySuggestion: "Change the option that the message names, or record the baseline again."
        )
    }

    static func noProfile(_ problem: String, remedy: String) -> TelemetryError {
        TelemetryError(
            code: .noProfile,
            message: "There is no profile to save: \(problem.clause).",
            recoverySuggestion: remedy
        )
    }
}
