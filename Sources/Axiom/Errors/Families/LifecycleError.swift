// SPDX-License-Identifier: Apache-2.0

/// A component exceeded the limit of a wait, or a wait would never have ended.
public struct LifecycleError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension LifecycleError {
    /// - Parameter others: The turns that the operation itself waited for.
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

    /// Whether this is the expired limit of an operation of this component.
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
