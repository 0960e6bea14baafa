// SPDX-License-Identifier: Apache-2.0

/// The framework waited for a component too long, or would have waited for ever.
public struct LifecycleError: ErrorFamily {
    /// What the error says.
    public let facts: ErrorFacts

    /// Makes an error that says `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Its codes

extension LifecycleError {
    static func limitExpired(
        _ operation: String,
        _ component: ComponentDescriptor,
        _ limit: String,
        _ duration: Duration
    ) -> Self {
        LifecycleError(
            ErrorFacts(
                .limitExpired,
                "The \(operation) of the \(component) did not end within \(duration). It was cancelled, and is no "
                    + "longer waited for.",
                recoverySuggestion: "Let it end when its task is cancelled, or allow more time: WaitLimits.\(limit).",
                origin: component
            )
        )
    }

    static func waitsForItself(_ component: ComponentDescriptor, path: String, remedy: String? = nil) -> Self {
        LifecycleError(
            ErrorFacts(
                .waitsForItself,
                "The \(component) would wait for itself: \(path).",
                recoverySuggestion: remedy,
                origin: component
            )
        )
    }
}
