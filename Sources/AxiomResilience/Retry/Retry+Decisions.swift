// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Retry {
    /// What follows an attempt.
    enum NextStep {
        case end(RetryOutcome)
        case retry(after: Duration)
    }

    /// Decides after an attempt that returned a result, and updates the budget.
    func next<R>(after value: R, _ progress: RetryProgress) -> NextStep {
        // Calling a rule boxes the result. Without rules this is avoided.
        if configuration.resultRules.isEmpty { return succeeded(progress) }
        let decision = judge(value)
        return decision == .stop ? succeeded(progress) : next(after: decision, progress)
    }

    private func judge<R>(_ value: R) -> RetryDecision {
        for rule in configuration.resultRules {
            if let decision = rule.decide(value) { return decision }
        }
        return .stop
    }

    /// Decides after an attempt that threw, and updates the budget.
    func next(after error: any Error, _ progress: RetryProgress) -> NextStep {
        if Cancellation.isIntended(error) { return .end(.cancelled) }
        let decision = configuration.onError(error)
        if decision == .stop { return .end(Task.isCancelled ? .cancelled : .notRetryable) }
        return next(after: decision, progress)
    }

    /// Decides whether a failure that is worth a retry gets one. The budget comes last, so that it does not pay for a
    /// retry that another limit prevents.
    private func next(after decision: RetryDecision, _ progress: RetryProgress) -> NextStep {
        configuration.budget?.recordFailure()
        if Task.isCancelled { return .end(.cancelled) }
        if progress.isOverdue(clock) { return .end(.timedOut) }
        if progress.attempt >= configuration.maximumAttempts { return .end(.exhausted) }
        let delay = delay(decision, progress)
        guard progress.hasTime(for: delay, clock) else { return .end(.timedOut) }
        guard configuration.budget?.requestRetry() ?? true else { return .end(.budgetRefused) }
        return .retry(after: delay)
    }

    private func succeeded(_ progress: RetryProgress) -> NextStep {
        configuration.budget?.recordSuccess()
        return .end(progress.attempt == 1 ? .successFirst : .successRetried)
    }

    private func delay(_ decision: RetryDecision, _ progress: RetryProgress) -> Duration {
        let (limit, jitter) = (configuration.retryAfterLimit, configuration.retryAfterJitter)
        return decision.requestedDelay(limit: limit, jitter: jitter)
            ?? configuration.backoff.delay(beforeRetry: progress.attempt - 1, previous: progress.delay)
    }
}

/// The progress of one call through a ``Retry``.
struct RetryProgress {
    /// When the total timeout expires; nil for never.
    let deadline: Instant?
    /// The number of the current attempt, from 1.
    private(set) var attempt = 1
    /// The wait before this attempt.
    private(set) var delay: Duration?

    init(_ totalTimeout: Duration?, _ clock: TimeSource) {
        deadline = totalTimeout.map { clock.now.advanced(by: $0) }
    }

    func isOverdue(_ clock: TimeSource) -> Bool {
        deadline.map { clock.now >= $0 } ?? false
    }

    /// Whether an attempt after `delay` would begin before the deadline.
    func hasTime(for delay: Duration, _ clock: TimeSource) -> Bool {
        deadline.map { clock.now.advanced(by: delay) < $0 } ?? true
    }

    mutating func advance(after delay: Duration) {
        attempt += 1
        self.delay = delay
    }
}
