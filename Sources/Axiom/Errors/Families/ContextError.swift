// SPDX-License-Identifier: Apache-2.0

/// A context cannot do what it is asked.
public struct ContextError: ErrorFamily {
    /// What the error says.
    public let facts: ErrorFacts

    /// Makes an error that says `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Its codes

extension ContextError {
    static func emergencyMode(_ context: ComponentDescriptor) -> Self {
        ContextError(
            ErrorFacts(
                .emergencyMode,
                "The \(context) refused an action: the application runs in emergency mode, which does not keep it.",
                origin: context
            )
        )
    }

    static func disappeared(_ context: ComponentDescriptor) -> Self {
        ContextError(
            ErrorFacts(
                .contextDisappeared,
                "The \(context) was sent an action after it had disappeared, and did not handle it.",
                origin: context
            )
        )
    }

    static func gone(_ context: ComponentDescriptor, cause: (any Error)? = nil) -> Self {
        ContextError(
            ErrorFacts(
                .contextGone,
                "What failed in the \(context) cannot be run again: the context is gone.",
                origin: context,
                cause: cause
            )
        )
    }
}
