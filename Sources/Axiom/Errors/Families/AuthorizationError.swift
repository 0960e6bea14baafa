// SPDX-License-Identifier: Apache-2.0

/// The user is not permitted to do this, or not now. Recoverable by signing in.
public struct AuthorizationError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension AuthorizationError {
    /// No user is signed in, and `operation` needs one.
    public static func notSignedIn(_ operation: String) -> Self {
        AuthorizationError(
            ErrorFacts(.notSignedIn, "\(operation) needs somebody who is signed in.", isRecoverable: true)
        )
    }

    /// The signed-in user is not permitted to do `operation`.
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
