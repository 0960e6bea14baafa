// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import AxiomInstrumentation
public import Logging

/// An observer that logs every error that ends in an application once, with the component in which it arose, the
/// boundary at which it ended, its path, its trace and its context.
///
/// ```swift
/// let log = LoggingInstrumentation(Logger(label: "shop"), telemetry)
/// let orchestrator = Orchestrator(instrumentation: Instrumentations(telemetry, log))
/// ```
/// An error is counted and logged at the boundary that ends it, whatever it passed before. An error from which a
/// recovery succeeded did not end: it has a record of the recovery instead. A build without the package trait
/// `Instrumented` logs the errors that end, without traces, and no recoveries.
///
/// If the application provides a context of errors, a record has its user, its session and its attributes. The message
/// is that of the error. An error whose message contains what must not be in a log has to be redacted by its own type.
public struct LoggingInstrumentation: Instrumentation {
    private let logger: Logger
    private let telemetry: Telemetry?
    private let logsRecoveries: Bool

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - logger: Receives the records. Its level decides which severities are logged.
    ///   - telemetry: Adds the ids of the trace, and the context that ``Telemetry/provideErrorContext(_:)`` provides. It
    ///     then writes no errors to standard error.
    ///   - logsRecoveries: Whether attempts to recover are logged too: at `info` if they succeeded, at `notice` if not.
    public init(_ logger: Logger, _ telemetry: Telemetry? = nil, logsRecoveries: Bool = true) {
        self.logger = logger
        self.telemetry = telemetry
        self.logsRecoveries = logsRecoveries
        telemetry?.leaveErrorsToLog()
    }

    /// Logs the error: at `critical`, `error` or `warning`, by its severity.
    public func ended(_ error: EndedError) {
        let level = Self.level(of: error.severity)
        guard level >= logger.logLevel else { return }
        var metadata = metadata(error.error, error.span, origin: error.origin, boundary: error.boundary)
        metadata["path"] = .array(error.path.map { .string($0.name) })
        metadata["causes"] = error.chain.map { .string($0.text) }
        logger.log(level: level, "\(Self.message(error.error))", metadata: metadata)
    }

    /// Logs the recovery.
    public func recoveryEnded(_ report: RecoveryReport) {
        let level: Logger.Level = report.outcome == .failed ? .notice : .info
        guard logsRecoveries, level >= logger.logLevel else { return }
        var metadata = metadata(report.error, report.span, origin: report.origin, boundary: report.boundary)
        metadata["strategy"] = .string(report.strategy)
        metadata["outcome"] = .string(report.outcome.rawValue)
        metadata["attempts"] = .stringConvertible(report.attempts)
        logger.log(
            level: level,
            "recovery \(report.outcome.rawValue): \(Self.message(report.error))",
            metadata: metadata
        )
    }

    /// What the records of errors and of recoveries have in common.
    private func metadata(
        _ error: any Error,
        _ span: SpanContext,
        origin: ComponentDescriptor,
        boundary: ComponentDescriptor
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "code": .string(ErrorCode(of: error).rawValue), "component": .string(origin.name),
            "boundary": .string(boundary.name),
        ]
        for (key, id) in telemetry?.ids(of: span) ?? [:] { metadata[key] = .string(id) }
        guard let context = telemetry?.errorContext else { return metadata }
        metadata["user"] = context.user.map { .string($0) }
        metadata["session"] = context.session.map { .string($0) }
        if !context.attributes.isEmpty {
            metadata["attributes"] = .dictionary(context.attributes.mapValues { .string($0) })
        }
        return metadata
    }

    private static func message(_ error: any Error) -> String {
        (error as? any MessageError)?.message ?? "\(error)"
    }

    private static func level(of severity: ErrorSeverity) -> Logger.Level {
        switch severity {
        case .critical: .critical
        case .nonCritical: .error
        case .warning: .warning
        }
    }
}
