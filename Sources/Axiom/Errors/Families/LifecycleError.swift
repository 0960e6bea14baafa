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
    /// - Parameter others: What the operation waited for itself.
    static func limitExpired(
        _ subject: TurnSubject,
        _ limit: String,
        _ duration: Duration,
        waitingFor others: [TurnSubject] = []
    ) -> Self {
        let reason = others.isEmpty ? "" : " It waited for: \(others.map(\.description).joined(separator: ", "))."
        return LifecycleError(
            ErrorFacts(
                .limitExpired,
                "The \(subject) did not end within \(duration).\(reason) It was cancelled, and is no longer waited for.",
                recoverySuggestion: "Let it end when its task is cancelled, or allow more time: WaitLimits.\(limit).",
                origin: subject.component
            )
        )
    }

    /// Whether the limit of an operation of this component expired.
    func isExpiry(of subject: TurnSubject) -> Bool {
        code == .limitExpired && origin == subject.component
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
