// SPDX-License-Identifier: Apache-2.0

/// A client cannot be used.
public struct ClientError: AxiomError {
    /// What is wrong.
    public let code: ErrorCode
    /// The client and what happened.
    public let message: String
    /// What can be done.
    public let recoverySuggestion: String
    /// What the client's factory or its `activate()` threw.
    public let cause: any Error

    static func notStarted(_ client: ComponentDescriptor, asker: ComponentDescriptor, cause: any Error) -> Self {
        ClientError(
            code: .clientNotStarted,
            message: "The \(asker) asks for the \(client), which could not be started: \(cause).",
            recoverySuggestion: "Mend the cause; the error was also reported when the application started.",
            cause: cause
        )
    }

    /// A client that cannot be used takes features with it.
    public var severity: ErrorSeverity { .critical }
}
