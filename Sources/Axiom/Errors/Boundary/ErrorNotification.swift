// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// What a person should be told of an error, and what they can choose to do.
public struct ErrorNotification: Sendable, Identifiable {
    /// A number that no other notification of the boundary has.
    public let id: Int
    /// What to tell.
    public let message: String
    /// The error that it is about.
    public let error: any Error
    /// When it was put into the queue.
    public let time: Instant
    /// What can be chosen; see ``ErrorBoundary/choose(_:for:)``.
    public let options: [RecoveryOption]

    /// How much harm the error does.
    public var severity: ErrorSeverity {
        (error as? any AxiomError)?.severity ?? .nonCritical
    }
}
