// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Repeats an operation that failed.
///
/// ```swift
/// let retry = try Retry("inventory") {
///     $0.maximumAttempts = 4
///     $0.budget = budget
/// }
/// let stock = try await retry.run { try await server.stock(of: item) }
/// ```
///
/// If no attempt succeeds, the call throws the error of the last attempt, so callers catch the same errors as without
/// retries. Cancellation of the caller ends the call at once, also during a wait. A `CancellationError` of an operation
/// whose caller was not cancelled is an error like any other. Without a budget, a call that succeeds at the first attempt
/// takes no lock and allocates nothing.
///
/// A ``Timeout`` inside limits each attempt, and one outside limits all attempts and the waits between them.
public final class Retry: ResilienceStrategy, DescribedStrategy {
    /// The name, for errors, events and metrics.
    package let name: String
    /// The settings.
    package let configuration: RetryConfiguration
    let clock: TimeSource
    private let counters = RetryCounters()

    /// Creates a retry with the default settings, modified by `configure`.
    ///
    /// - Throws: ``ResilienceError`` if the name is empty or a setting is out of range.
    public init(
        _ name: String,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line,
        configure: (inout RetryConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = RetryConfiguration()
        configure(&configuration)
        let check = SettingCheck(subject: "Retry \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        try configuration.validate(check)
        self.name = name
        self.configuration = configuration
        self.clock = clock
    }

    /// The calls, retries and outcomes so far.
    package var counts: RetryCounts { counters.counts }

    package var kind: StrategyKind { .retry }

    package var outline: String {
        let budget = configuration.budget == nil ? "" : ", with a budget"
        return "Retry \"\(name)\": at most \(configuration.maximumAttempts) attempts, backoff"
            + " \(configuration.backoff.outline)\(budget)"
    }

    /// Runs `operation` on the actor of the caller until it succeeds, or until the settings, the budget or a cancellation
    /// end the call.
    ///
    /// - Throws: The error of the last attempt, or `CancellationError` if the task was cancelled during a wait.
    @inlinable
    @inline(__always)
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        begin()
        let value: R
        do {
            value = try await operation()
        } catch {
            return try await retry(isolation: isolation, operation, after: error)
        }
        succeeded()
        return value
    }

    // The first attempt is specialised for the type of the result, and inlined: every generic async call costs about
    // 30 ns. The rest is not.

    @usableFromInline
    func begin() { counters.begin() }

    @usableFromInline
    func succeeded() { succeeded(.successFirst) }

    private func succeeded(_ outcome: RetryOutcome) {
        configuration.budget?.recordSuccess()
        counters.end(outcome)
    }

    /// Attempts the operation again until the call ends.
    ///
    /// - Parameter failure: The error of the first attempt.
    @usableFromInline
    @inline(never)
    func retry<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R,
        after failure: any Error
    ) async throws -> R {
        var failure = failure
        for attempt in 1... {
            switch next(after: failure, attempt) {
            case .end(let outcome):
                counters.end(outcome)
                throw failure
            case .retry(let delay): try await pause(delay, isolation: isolation)
            }
            counters.retry()
            do {
                let value = try await operation()
                succeeded(.successRetried)
                return value
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Waits until the delay is over or the task is cancelled.
    private func pause(_ delay: Duration, isolation: isolated (any Actor)?) async throws {
        do {
            try await clock.sleep(for: delay)
            try Task.checkCancellation()
        } catch {
            counters.end(.cancelled)
            throw error
        }
    }

    /// What follows an attempt that threw.
    private enum NextStep {
        case end(RetryOutcome)
        case retry(after: Duration)
    }

    /// Decides after an attempt that threw, and updates the budget. The budget comes last, so that it does not pay for a
    /// retry that another limit prevents.
    private func next(after error: any Error, _ attempt: Int) -> NextStep {
        if Cancellation.isIntended(error) { return .end(.cancelled) }
        let decision = configuration.onError(error)
        if decision == .stop { return .end(Task.isCancelled ? .cancelled : .notRetryable) }
        configuration.budget?.recordFailure()
        if Task.isCancelled { return .end(.cancelled) }
        if attempt >= configuration.maximumAttempts { return .end(.exhausted) }
        guard configuration.budget?.requestRetry() ?? true else { return .end(.budgetRefused) }
        let (limit, jitter) = (configuration.retryAfterLimit, configuration.retryAfterJitter)
        return .retry(
            after: decision.requestedDelay(limit: limit, jitter: jitter)
                ?? configuration.backoff.delay(beforeRetry: attempt - 1)
        )
    }
}
