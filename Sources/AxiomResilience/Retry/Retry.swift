// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Repeats an operation that failed.
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
/// If no attempt succeeds, the call throws the error of the last attempt, so callers catch the same errors as without
/// retries. ``RetryConfiguration/observer`` receives the reason why the call ended. Cancellation of the
/// caller ends the call at once, also during a wait. A `CancellationError` of an operation whose caller was not cancelled
/// is an error like any other. Without timeouts, a budget and an observer, a call that succeeds
/// at the first attempt takes no lock and allocates nothing.
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
        let limits = [
            configuration.attemptTimeout.map { "\($0) each" }, configuration.totalTimeout.map { "\($0) in all" },
            configuration.budget.map { _ in "with a budget" },
        ]
        let parts = ["at most \(configuration.maximumAttempts) attempts", "backoff \(configuration.backoff.outline)"]
        return "Retry \"\(name)\": " + (parts + limits.compactMap { $0 }).joined(separator: ", ")
    }

    /// Runs `operation` on the actor of the caller until it succeeds, or until the settings, the budget or a cancellation
    /// end the call.
    ///
    /// - Throws: The error of the last attempt, ``TimeoutError`` if a timeout ended it, or `CancellationError` if the task
    ///   was cancelled during a wait.
    @inlinable
    @inline(__always)
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard begin() else { return try await attempt(isolation: isolation, operation) }
        let value: R
        do {
            value = try await operation()
        } catch {
            return try await attempt(isolation: isolation, operation, after: error)
        }
        succeeded()
        return value
    }

    // The first attempt without limits and rules is specialised for the type of the result, and inlined: every generic
    // async call costs about 30 ns. The rest is not.

    /// Counts the call.
    ///
    /// - Returns: Whether nothing but the operation decides how the first attempt ends.
    @usableFromInline
    func begin() -> Bool {
        counters.begin()
        configuration.budget?.recordCall()
        return configuration.attemptTimeout == nil && configuration.totalTimeout == nil
            && configuration.resultRules.isEmpty
    }

    /// Ends a call whose first attempt succeeded.
    @usableFromInline
    func succeeded() {
        configuration.budget?.recordSuccess()
        end(RetryProgress(nil, clock), nil, .successFirst)
    }

    /// Attempts the operation until the call ends.
    ///
    /// - Parameter failure: The error of the first attempt if it has been made.
    @usableFromInline
    @inline(never)
    func attempt<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R,
        after failure: (any Error)? = nil
    ) async throws -> R {
        var failure = failure
        var progress = RetryProgress(configuration.totalTimeout, clock)
        while true {
            let delay: Duration
            do {
                if let error = failure.take() { throw error }
                let value: R
                if let deadline = deadline(of: progress) {
                    value = try await attempt(isolation: isolation, operation, until: deadline, progress)
                } else {
                    value = try await operation()
                }
                guard let wait = report(next(after: value, progress), nil, progress) else { return value }
                delay = wait
            } catch {
                guard let wait = report(next(after: error, progress), error, progress) else { throw error }
                delay = wait
            }
            try await pause(delay, progress, isolation: isolation)
            counters.retry()
            progress.advance(after: delay)
        }
    }

    /// When the next attempt has to end; nil for no limit.
    private func deadline(of progress: RetryProgress) -> Instant? {
        guard let limit = configuration.attemptTimeout else { return progress.deadline }
        let end = clock.now.advanced(by: limit)
        return min(end, progress.deadline ?? end)
    }

    /// Not inlined: the look-up of its types at run time would double the cost of a call without timeouts.
    @inline(never)
    private func attempt<R>(
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> R,
        until instant: Instant,
        _ progress: RetryProgress
    ) async throws -> R {
        let error = timeoutError(isTotal: instant == progress.deadline)
        let deadline = Deadline(clock, at: instant, error: error)
        if let result = await deadline.run(isolation: isolation, operation) { return try result.get() }
        throw error
    }

    private func timeoutError(isTotal: Bool) -> TimeoutError {
        let limit = isTotal ? configuration.totalTimeout : configuration.attemptTimeout
        return TimeoutError(policy: name, limit: limit ?? .zero, scope: isTotal ? .total : .attempt)
    }

    /// Reports the end of an attempt.
    ///
    /// - Returns: The wait before the next attempt; nil if the call ends.
    private func report(_ step: NextStep, _ error: (any Error)?, _ progress: RetryProgress) -> Duration? {
        switch step {
        case .retry(let delay):
            report(progress, error, delay: delay, outcome: nil)
            return delay
        case .end(let outcome):
            end(progress, error, outcome)
            return nil
        }
    }

    /// Waits until the delay is over or the task is cancelled. Under load the task may sleep past the total timeout.
    private func pause(_ delay: Duration, _ progress: RetryProgress, isolation: isolated (any Actor)?) async throws {
        do {
            try await clock.sleep(for: delay)
            try Task.checkCancellation()
        } catch {
            end(progress, error, .cancelled)
            throw error
        }
        if progress.isOverdue(clock) {
            let error = timeoutError(isTotal: true)
            end(progress, error, .timedOut)
            throw error
        }
    }

    private func end(_ progress: RetryProgress, _ error: (any Error)?, _ outcome: RetryOutcome) {
        counters.end(outcome)
        report(progress, error, delay: nil, outcome: outcome)
    }

    private func report(_ progress: RetryProgress, _ error: (any Error)?, delay: Duration?, outcome: RetryOutcome?) {
        guard let observer = configuration.observer else { return }
        observer(
            RetryEvent(policy: name, attempt: progress.attempt, error: error, delay: delay, outcome: outcome)
        )
    }
}
