// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomInstrumentation
public import Logging

/// Logs the actions that contexts send to clients: the client, the caller, the action, the duration and the outcome, and
/// never a payload.
///
/// ```swift
/// orchestrator.use(LoggingMiddleware(Logger(label: "shop.actions"), telemetry))
/// ```
/// Errors are logged by ``LoggingInstrumentation``, once each. The record of a failed action therefore names only the
/// code of its error. A level that the logger does not log costs two readings of the clock.
public struct LoggingMiddleware: Middleware {
    /// The level of the record of each outcome; nil for no record.
    public struct Levels: Sendable, Hashable {
        /// An action that succeeded. Default debug.
        public var success: Logger.Level? = .debug
        /// An action that threw an error. Default info: the error itself has its own record.
        public var failure: Logger.Level? = .info
        /// An action that was cancelled. Default debug.
        public var cancelled: Logger.Level? = .debug
        /// An action that its validation or a circuit breaker refused. Default notice.
        public var rejected: Logger.Level? = .notice

        /// Makes the default levels.
        public init() {}

        /// The level of an outcome; nil for no record.
        public subscript(_ outcome: ActionOutcome) -> Logger.Level? {
            switch outcome {
            case .success: success
            case .failure: failure
            case .cancelled: cancelled
            case .rejected: rejected
            }
        }
    }

    private let logger: Logger
    private let levels: Levels
    private let telemetry: Telemetry?
    private let clock: TimeSource

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - logger: Receives the records.
    ///   - telemetry: Adds `trace_id` and `span_id`. Leave it out if the logger has the metadata provider
    ///     `.trace(of: telemetry)`.
    ///   - levels: The level of the record of each outcome.
    ///   - clock: Measures the durations.
    public init(
        _ logger: Logger,
        _ telemetry: Telemetry? = nil,
        levels: Levels = Levels(),
        clock: TimeSource = .live
    ) {
        self.logger = logger
        self.telemetry = telemetry
        self.levels = levels
        self.clock = clock
    }

    /// Runs the action, and logs how it ended.
    public nonisolated(nonsending) func process(
        _ call: ActionCall,
        next: MiddlewareNext<ActionCall, Void>
    ) async throws {
        let start = clock.now
        do {
            try await next(call)
        } catch {
            log(call, ActionOutcome(ofCallError: error), error, since: start)
            throw error
        }
        log(call, .success, nil, since: start)
    }

    private func log(_ call: ActionCall, _ outcome: ActionOutcome, _ error: (any Error)?, since start: Instant) {
        guard let level = levels[outcome], level >= logger.logLevel else { return }
        let seconds = Double(clock.now.nanoseconds(since: start)) / 1e9
        var metadata: Logger.Metadata = [
            "component": .string(call.client.name), "caller": .string(call.caller.name),
            "action": .string(call.action), "outcome": .string(outcome.rawValue),
            "seconds": .stringConvertible(seconds),
        ]
        if let error { metadata["code"] = .string(ErrorCode(of: error).rawValue) }
        for (key, id) in telemetry?.currentSpan?.metadata ?? [:] { metadata[key] = .string(id) }
        logger.log(level: level, "\(call.client.name).\(call.action) \(outcome.rawValue)", metadata: metadata)
    }
}
