// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A place in the application cannot be shown.
public struct NavigationError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension NavigationError {
    /// `route` leads to no known destination.
    public static func unknownRoute(_ route: String) -> Self {
        NavigationError(ErrorFacts(.unknownRoute, "The route \(route) leads to nothing that is known."))
    }

    static func fallbackFailed(cause: any Error) -> Self {
        NavigationError(
            ErrorFacts(
                .navigationFallbackFailed,
                "The safe place that an error should lead to could not be shown: \(String(clause: cause)).",
                cause: cause
            )
        )
    }
}
