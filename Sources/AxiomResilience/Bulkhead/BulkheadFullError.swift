// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A ``Bulkhead`` had no place for a call. The operation has not run.
public struct BulkheadFullError: MessageError, Hashable, CustomStringConvertible {
    /// Why there was no place. More reasons may be added.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The reason as it is printed.
        public let description: String

        /// All places were taken, and so was the queue.
        public static let queueFull = Reason(description: "queue full")
        /// No place became free in the time that a call may wait.
        public static let waitedTooLong = Reason(description: "waited too long")
    }

    /// The name of the bulkhead.
    public let policy: String
    /// Why there was no place.
    public let reason: Reason
    /// How many calls might run at once.
    public let limit: Int

    /// The same text as ``description``.
    public var message: String { description }

    /// The name, the reason and the limit.
    public var description: String {
        "\(policy): no place for the call, \(reason); \(limit) may run at once"
    }
}
