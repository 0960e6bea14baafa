// SPDX-License-Identifier: Apache-2.0

/// A context cannot do what was requested.
public struct ContextError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

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
