// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

// What makes good an operation that failed.
extension RecoveryStrategy {
    /// The names of the framework's own remedies, as ``RecoveryReport/strategy`` tells them.
    public static let remedyNames = [
        "ignore", "retry", "fallback", "rollback", "partial_update", "navigation_fallback", "system_reset",
        "partial_shutdown", "emergency_mode",
    ]

    /// Goes on as if the operation had succeeded: for what the application can do without. Leaves critical errors.
    public static let ignore = RecoveryStrategy("ignore") { operation in
        if operation.severity == .critical { throw operation.error }
    }

    /// Runs the failed operation again until it succeeds, as a `Retry` of AxiomResilience does: with exponential
    /// backoff and full jitter, by the orchestrator's clock. Ends at once when the task is cancelled, also during a
    /// wait.
    ///
    /// For a failed observation it subscribes again, and succeeds when the first state of the new subscription was
    /// applied. The attempts are those of the observation: they are counted from the beginning once a subscription has
    /// delivered more than its first state and goes on.
    ///
    /// Leaves an error that says of itself that it is not recoverable, the last error when the attempts are used up or
    /// the budget refuses another, and every error of an operation that cannot be run again. Settings that are out of
    /// range are an error of the remedy, which the boundary keeps beside the operation's own.
    ///
    /// - Parameters:
    ///   - attempts: How often the operation is run at most, the time that it failed included. With 1 or less it is not
    ///     run again, and the error is left to the next step.
    ///   - backoff: How long to wait before each further attempt.
    ///   - budget: Bounds the retries of all who share it. What it counts as calls are the operations that failed.
    public static func retry(
        attempts: Int = 3,
        backoff: Backoff = .exponential(),
        budget: RetryBudget? = nil
    ) -> RecoveryStrategy {
        RecoveryStrategy("retry") { operation in
            guard attempts > 0 else { throw operation.error }
            let retry = try Retry("recovery", clock: operation.clock) {
                $0.maximumAttempts = attempts
                $0.backoff = backoff
                $0.budget = budget
                $0.onError = {
                    ($0 as? any AxiomError)?.isRecoverable == false ? .stop : RetryConfiguration.advised($0)
                }
            }
            try await operation.run(by: retry)
        }
    }

    /// Runs the failed operation again as `retry` says, which counts what it does and decides by its own rules and its
    /// own clock.
    public static func retry(_ retry: Retry) -> RecoveryStrategy {
        RecoveryStrategy("retry") { try await $0.run(by: retry) }
    }

    /// Puts a value from before in the place of the one that could not be had.
    ///
    /// - Parameters:
    ///   - maximumAge: How stale the value may be at most; any age unless given.
    ///   - value: The value that was kept and when it was stored, by the orchestrator's clock; nil when there is none.
    ///   - apply: Shows the value, told how old it is.
    public static func fallback<Value: Sendable>(
        maximumAge: Duration? = nil,
        to value: @escaping @MainActor @Sendable () async throws -> (value: Value, storedAt: Instant)?,
        apply: @escaping @MainActor @Sendable (_ value: Value, _ staleness: Duration) async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy("fallback") { operation in
            guard let kept = try await value() else { throw operation.error }
            let staleness = max(.zero, operation.clock.now.duration(since: kept.storedAt))
            if let maximumAge, staleness > maximumAge { throw operation.error }
            try await apply(kept.value, staleness)
        }
    }

    /// Takes back what the operation had changed before it failed.
    ///
    /// - Parameter restore: Gives the client back the state from before, for example by an action that carries it.
    public static func rollback(
        _ restore: @escaping @MainActor @Sendable () async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy("rollback") { _ in try await restore() }
    }

    /// Applies those parts of a composite action that are valid, each by itself and in order. Recovers when at least
    /// one part was applied; a cancellation ends it at once.
    ///
    /// - Parameters:
    ///   - parts: What the action consists of.
    ///   - apply: Applies one part.
    ///   - rejected: Is told which parts could not be applied, and why, when others could.
    public static func partialUpdate<Part: Sendable>(
        _ parts: [Part],
        apply: @escaping @MainActor @Sendable (Part) async throws -> Void,
        rejected: @escaping @MainActor @Sendable ([(part: Part, error: any Error)]) async -> Void = { _ in }
    ) -> RecoveryStrategy {
        RecoveryStrategy("partial_update") { operation in
            var failures: [(part: Part, error: any Error)] = []
            for part in parts {
                do {
                    try await apply(part)
                } catch {
                    if ActionOutcome(ofError: error) == .cancelled { throw error }
                    failures.append((part, error))
                }
            }
            guard failures.count < parts.count else { throw operation.error }
            if !failures.isEmpty { await rejected(failures) }
        }
    }

    /// Leads the person to a safe place.
    ///
    /// - Parameter show: Shows that place. When it throws, the boundary keeps a ``NavigationError`` beside the error.
    public static func navigate(
        _ show: @escaping @MainActor @Sendable () async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy("navigation_fallback") { _ in
            do {
                try await show()
            } catch {
                if ActionOutcome(ofError: error) == .cancelled { throw error }
                throw NavigationError.fallbackFailed(cause: error)
            }
        }
    }
}
