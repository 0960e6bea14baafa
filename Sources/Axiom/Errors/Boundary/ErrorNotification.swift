// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A message to the user about an error, with the options to choose from.
public struct ErrorNotification: Sendable, Identifiable {
    /// A number that no other notification of the boundary has.
    public let id: Int
    /// The text to show.
    public let message: String
    /// The error that it reports.
    public let error: any Error
    /// When it was added to the queue.
    public let time: Instant
    /// The options to choose from; see ``ErrorBoundary/choose(_:for:)``.
    public let options: [RecoveryOption]

    /// The severity of the error.
    public var severity: ErrorSeverity {
        (error as? any AxiomError)?.severity ?? .nonCritical
    }
}
