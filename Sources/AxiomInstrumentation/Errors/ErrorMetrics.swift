// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The families of errors and of recoveries from them.
struct ErrorMetrics: Sendable {
    private let errors: Family<Counter, String, String, ErrorSeverity>
    private let recoveries: Family<Counter, String, RecoveryReport.Outcome>
    private let durations: Family<ExponentialHistogram, String>

    init(_ registry: Registry, detail: DetailLevel) throws(MetricsError) {
        errors = try registry.counters(
            "axiom_errors_total",
            help: "Errors that ended at a boundary, by the component in which they arose; "
                + "each refusal by an open circuit breaker is one, with a code that begins with AXIOM_CIRCUIT_.",
            labels: Label<String>("component"),
            Label<String>("code"),
            Label<ErrorSeverity>("severity")
        )
        recoveries = try registry.counters(
            "axiom_error_recoveries_total",
            help: "Attempts to recover from an error, by what they came to.",
            labels: Label<String>("strategy"),
            Label<RecoveryReport.Outcome>("outcome")
        )
        durations = try registry.family(
            detail.durations(lean: []),
            "axiom_error_recovery_duration_seconds",
            help: "Time that an attempt to recover from an error took, whatever it came to.",
            labels: Label<String>("strategy")
        )
        // On a lean page a strategy appears with its first attempt.
        guard BuildInfo.isInstrumented, detail == .full else { return }
        for strategy in RecoveryStrategy.remedyNames { register(strategy) }
    }

    func ended(_ error: EndedError) {
        errors(error.origin.name, error.code, error.severity).increment()
    }

    func recoveryEnded(_ report: RecoveryReport) {
        register(report.strategy)
        recoveries(report.strategy, report.outcome).increment()
        durations(report.strategy).observe(nanoseconds: report.nanoseconds)
    }

    /// Creates all series of a strategy, so that each is on the page before its first event.
    private func register(_ strategy: String) {
        for outcome in RecoveryReport.Outcome.allCases { _ = recoveries(strategy, outcome) }
        _ = durations(strategy)
    }
}
