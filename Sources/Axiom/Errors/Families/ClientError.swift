// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A client cannot be used.
public struct ClientError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension ClientError {
    static func notStarted(_ client: ComponentDescriptor, asker: ComponentDescriptor, cause: any Error) -> Self {
        ClientError(
            ErrorFacts(
                .clientNotStarted,
                "The \(asker) asks for the \(client), which could not be started: \(String(clause: cause)).",
                origin: client,
                cause: cause
            )
        )
    }

    static func storeOutsideScope(_ client: ComponentDescriptor, _ state: String) -> Self {
        ClientError(
            ErrorFacts(
                .storeOutsideScope,
                "The \(client) publishes a store of \(state) that its scope did not make, so its state is not observed.",
                origin: client
            )
        )
    }

    static func disabled(_ client: ComponentDescriptor, because cause: any Error) -> Self {
        ClientError(
            ErrorFacts(
                .clientDisabled,
                "The \(client) was disabled by a partial shutdown: \(String(clause: cause)).",
                origin: client,
                cause: cause
            )
        )
    }
}
