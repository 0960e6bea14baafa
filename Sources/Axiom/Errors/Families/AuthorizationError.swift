// SPDX-License-Identifier: Apache-2.0

/// Whoever uses the application may not do this, or not now. Recoverable by signing in.
public struct AuthorizationError: ErrorFamily {
    /// What the error says.
    public let facts: ErrorFacts

    /// Makes an error that says `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Its codes

extension AuthorizationError {
    /// Nobody is signed in, and `operation` needs somebody.
    public static func notSignedIn(_ operation: String) -> Self {
        AuthorizationError(
            ErrorFacts(.notSignedIn, "\(operation) needs somebody who is signed in.", isRecoverable: true)
        )
    }

    /// Whoever is signed in may not do `operation`.
    public static func forbidden(_ operation: String) -> Self {
        AuthorizationError(
            ErrorFacts(.forbidden, "\(operation) is not allowed to whoever is signed in.", isRecoverable: true)
        )
    }

    /// The session has ended.
    public static func sessionExpired(cause: (any Error)? = nil) -> Self {
        AuthorizationError(
            ErrorFacts(.sessionExpired, "The session has ended.", isRecoverable: true, cause: cause)
        )
    }
}
