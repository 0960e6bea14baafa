// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Runs an operation again when it failed.
///
/// ```swift
/// let retry = try Retry("inventory") {
///     $0.maximumAttempts = 4
///     $0.totalTimeout = .seconds(5)
///     $0.budget = budget
/// }
/// let stock = try await retry.run { try await server.stock(of: item) }
/// ```
///
/// When the call ends without success, it throws the last attempt's own error, so that callers catch what they would
/// without retries; ``counts`` and the observer tell why it ended. Cancellation ends the call at once, also during a
/// wait, and a `CancellationError` is never retried. A call that succeeds at once takes no lock and allocates
/// nothing, unless timeouts, a budget or an observer are set.
public final class Retry: ResilienceStrategy {
    /// The name that errors, events and metrics show.
    public let name: String
    /// The settings, as they were given.
    public let configuration: RetryConfiguration
    let clock: TimeSource
    private let counters = RetryCounters()

    /// Makes a retry with the settings in `configuration`.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or a setting that is out of its range.
    public init(
        _ name: String,
        _ configuration: RetryConfiguration = RetryConfiguration(),
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        let check = SettingCheck(subject: "Retry \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        try configuration.validate(check)
        self.name = name
        self.configuration = configuration
        self.clock = clock
    }

    /// Makes a retry with the default settings, changed by `configure`.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or a setting that is out of its range.
    public convenience init(
        _ name: String,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line,
        configure: (inout RetryConfiguration) -> Void
    ) throws {
        var configuration = RetryConfiguration()
        configure(&configuration)
        try self.init(name, configuration, clock: clock, file: file, line: line)
    }

    /// What was counted since the retry was made.
    public var counts: RetryCounts { counters.counts }

    /// ``StrategyKind/retry``.
    public var kind: StrategyKind { .retry }

    /// The name, the attempts and the limits.
    public var outline: String {
        let limits = [
            configuration.attemptTimeout.map { "\($0) each" }, configuration.totalTimeout.map { "\($0) in all" },
            configuration.budget.map { _ in "with a budget" },
        ]
        let parts = ["at most \(configuration.maximumAttempts) attempts", "backoff \(configuration.backoff)"]
        return "Retry \"\(name)\": " + (parts + limits.compactMap { $0 }).joined(separator: ", ")
    }

    /// Runs `operation` until it succeeds or the settings, the budget or a cancellation end the call.
    ///
    /// - Throws: What the last attempt threw, ``TimeoutError`` when a timeout ended it, or `CancellationError` when
    ///   the task was cancelled during a wait.
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        counters.begin()
        configuration.budget?.recordCall()
        var course = RetryCourse(configuration.totalTimeout, clock)
        while true {
            let delay: Duration
            do {
                let value = try await attempt(operation, course.deadline)
                guard let wait = wait(after: verdict(on: value, course), nil, course) else { return value }
                delay = wait
            } catch {
                guard let wait = wait(after: verdict(on: error, course), error, course) else { throw error }
                delay = wait
            }
            try await pause(delay, course)
            counters.retry()
            course.advance(after: delay)
        }
    }

    private func attempt<R: Sendable>(
        _ operation: @Sendable () async throws -> R,
        _ total: Instant?
    ) async throws -> R {
        let each = configuration.attemptTimeout.map { clock.now.advanced(by: $0) }
        guard let first = each ?? total else { return try await operation() }
        let deadline = min(first, total ?? first)
        return try await attempt(operation, until: deadline, isTotal: deadline == total)
    }

    /// Not inlined, for its types are looked up at run time, which would double the cost of a call without timeouts.
    @inline(never)
    private func attempt<R: Sendable>(
        _ operation: @Sendable () async throws -> R,
        until deadline: Instant,
        isTotal: Bool
    ) async throws -> R {
        let error = timeoutError(isTotal: isTotal)
        if let result = await Deadline(clock, at: deadline, error: error).run(operation) { return try result.get() }
        throw error
    }

    private func timeoutError(isTotal: Bool) -> TimeoutError {
        let limit = isTotal ? configuration.totalTimeout : configuration.attemptTimeout
        return TimeoutError(policy: name, limit: limit ?? .zero, scope: isTotal ? .total : .attempt)
    }

    /// Counts and tells the end of an attempt.
    ///
    /// - Returns: The wait before the next one; nil when the call ends.
    private func wait(after verdict: Verdict, _ error: (any Error)?, _ course: RetryCourse) -> Duration? {
        switch verdict {
        case .wait(let delay):
            tell(course, error, delay: delay, outcome: nil)
            return delay
        case .end(let outcome):
            end(course, error, outcome)
            return nil
        }
    }

    /// Waits, unless the task is cancelled. A machine under load may sleep past the total timeout.
    private func pause(_ delay: Duration, _ course: RetryCourse) async throws {
        do {
            try await clock.sleep(for: delay)
            try Task.checkCancellation()
        } catch {
            end(course, error, .cancelled)
            throw error
        }
        if course.hasPassed(clock) {
            let error = timeoutError(isTotal: true)
            end(course, error, .timedOut)
            throw error
        }
    }

    private func end(_ course: RetryCourse, _ error: (any Error)?, _ outcome: RetryOutcome) {
        counters.end(outcome)
        tell(course, error, delay: nil, outcome: outcome)
    }

    private func tell(_ course: RetryCourse, _ error: (any Error)?, delay: Duration?, outcome: RetryOutcome?) {
        guard let observer = configuration.observer else { return }
        observer(
            RetryEvent(policy: name, attempt: course.attempt, error: error, delay: delay, outcome: outcome)
        )
    }
}
