// SPDX-License-Identifier: Apache-2.0

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

    /// Makes a report.
    public init(
        strategy: String,
        outcome: Outcome,
        nanoseconds: Int64,
        attempts: Int,
        error: any Error,
        origin: ComponentDescriptor,
        boundary: ComponentDescriptor
    ) {
        self.strategy = strategy
        self.outcome = outcome
        self.nanoseconds = nanoseconds
        self.attempts = attempts
        self.error = error
        self.origin = origin
        self.boundary = boundary
    }
}
