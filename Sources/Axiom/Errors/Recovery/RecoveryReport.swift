// SPDX-License-Identifier: Apache-2.0

/// How one remedy of a ``RecoveryStrategy`` ended.
public struct RecoveryReport: Sendable {
    /// What a remedy came to.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The error is made good, and ends nowhere.
        case recovered
        /// The error is left to the next step.
        case failed
        /// The operation was called off meanwhile.
        case cancelled
    }

    /// The name of the remedy, as in `retry` or `fallback`.
    public let strategy: String
    /// What it came to.
    public let outcome: Outcome
    /// How long it took, in nanoseconds.
    public let nanoseconds: Int64
    /// How often it ran the failed operation again.
    public let attempts: Int
    /// The error that it was to recover from.
    public let error: any Error
    /// The component in which the error arose.
    public let origin: ComponentDescriptor
    /// The context, or the orchestrator, at whose boundary it worked.
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
