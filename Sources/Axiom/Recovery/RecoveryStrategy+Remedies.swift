// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

// Remedies: steps that try to recover from a failed operation.
extension RecoveryStrategy {
    /// The names of the framework's own remedies, the values of ``RecoveryReport/strategy``.
    package static let remedyNames = ["ignore", "retry", "navigation_fallback", "answer"]

    /// Continues as if the operation had succeeded, for operations that the application can do without. Does not
    /// recover critical errors.
    public static let ignore = RecoveryStrategy("ignore") { operation in
        if operation.severity == .critical { throw operation.error }
    }

    /// Runs the failed operation again until it succeeds, like a `Retry` of AxiomResilience: with exponential backoff
    /// and full jitter, by the orchestrator's clock. Ends at once if the task is cancelled, also during a wait.
    ///
    /// For a failed observation it subscribes again, and succeeds when the first state of the new subscription has been
    /// applied. The attempts are those of the observation: their count restarts when a subscription that is still open
    /// has delivered more than its first state.
    ///
    /// Does not recover an error whose `isRecoverable` is false, the last error when the attempts are used up or the
    /// budget refuses another, or any error of an operation that cannot be run again. Settings that are out of range
    /// are an error of the remedy; the boundary keeps it beside the operation's own.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of runs, including the one that failed. With 1 or less the operation is not run
    ///     again, and the error goes to the next step.
    ///   - backoff: The delay before each further attempt.
    ///   - budget: Limits the retries of all strategies that share it. The calls that it counts are the failed
    ///     operations.
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

    /// Runs the failed operation again with `retry`, which counts the attempts and applies its own rules and its own
    /// clock.
    public static func retry(_ retry: Retry) -> RecoveryStrategy {
        RecoveryStrategy("retry") { try await $0.run(by: retry) }
    }

    /// Navigates to a fallback destination.
    ///
    /// - Parameter show: Shows the destination. If it throws, the boundary keeps a ``NavigationError`` beside the
    ///   error.
    public static func navigate(
        _ show: @escaping @MainActor @Sendable () async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy("navigation_fallback") { _ in
            do {
                try await show()
            } catch {
                if Cancellation.isIntended(error) { throw error }
                throw NavigationError.fallbackFailed(cause: error)
            }
        }
    }
}

/// The result of one remedy of a ``RecoveryStrategy``.
public struct RecoveryReport: Sendable {
    /// How a remedy ended.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The remedy worked: the error does not end at a boundary.
        case recovered
        /// The remedy did not work, and the error goes to the next step.
        case failed
        /// The operation was cancelled.
        case cancelled
    }

    /// The name of the remedy, as in `retry` or `fallback`.
    public let strategy: String
    /// How the remedy ended.
    public let outcome: Outcome
    /// How long it took, in nanoseconds.
    public let nanoseconds: Int64
    /// How often it ran the failed operation again.
    public let attempts: Int
    /// The error from which the remedy tried to recover.
    public let error: any Error
    /// The component in which the error arose.
    public let origin: ComponentDescriptor
    /// The context, or the orchestrator, at whose boundary the remedy ran.
    public let boundary: ComponentDescriptor
    /// The chain of the error's causes; nil if it has no cause.
    package private(set) var chain: ErrorChain?
    /// The span of the operation; ``SpanContext/none`` if it is not recorded.
    package private(set) var span = SpanContext.none
}
