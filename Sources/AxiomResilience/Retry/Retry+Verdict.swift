// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Retry {
    /// What follows an attempt.
    enum Verdict {
        case end(RetryOutcome)
        case wait(Duration)
    }

    /// Decides after an attempt that gave a result, and tells the budget of it.
    func verdict<R: Sendable>(on value: R, _ course: RetryCourse) -> Verdict {
        // Apart, for a result has to be boxed to be judged.
        if configuration.resultRules.isEmpty { return succeeded(course) }
        let decision = judge(value)
        return decision == .stop ? succeeded(course) : verdict(on: decision, course)
    }

    /// Decides after an attempt that threw, and tells the budget of it.
    func verdict(on error: any Error, _ course: RetryCourse) -> Verdict {
        if error is CancellationError { return .end(.cancelled) }
        let decision = configuration.onError(error)
        if decision == .stop { return .end(Task.isCancelled ? .cancelled : .notRetryable) }
        return verdict(on: decision, course)
    }

    /// Decides about a failure that is to be retried, if that may be. The budget is asked last, so that no retry is
    /// paid for that something else forbids.
    private func verdict(on decision: RetryDecision, _ course: RetryCourse) -> Verdict {
        configuration.budget?.recordFailure()
        if Task.isCancelled { return .end(.cancelled) }
        if course.hasPassed(clock) { return .end(.timedOut) }
        if course.attempt >= configuration.maximumAttempts { return .end(.exhausted) }
        let delay = delay(decision, course)
        guard course.hasTime(for: delay, clock) else { return .end(.timedOut) }
        guard configuration.budget?.requestRetry() ?? true else { return .end(.budgetRefused) }
        return .wait(delay)
    }

    private func succeeded(_ course: RetryCourse) -> Verdict {
        configuration.budget?.recordSuccess()
        return .end(course.attempt == 1 ? .successFirst : .successRetried)
    }

    private func judge<R: Sendable>(_ value: R) -> RetryDecision {
        for rule in configuration.resultRules {
            if let decision = rule.decide(value) { return decision }
        }
        return .stop
    }

    private func delay(_ decision: RetryDecision, _ course: RetryCourse) -> Duration {
        if case .retryAfter(let told) = decision.kind { return max(told, .zero) }
        var generator = SystemRandomNumberGenerator()
        let retry = course.attempt - 1
        return configuration.backoff.delay(beforeRetry: retry, previous: course.delay, using: &generator)
    }
}
