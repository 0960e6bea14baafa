// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The user is not permitted to do this, or not now. Recoverable by signing in.
public struct AuthorizationError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// No user is signed in, and `operation` needs one.
    public static func notSignedIn(_ operation: String) -> Self {
        AuthorizationError(.notSignedIn, "\(operation) requires a signed-in user.", isRecoverable: true)
    }

    /// The signed-in user is not permitted to do `operation`.
    public static func forbidden(_ operation: String) -> Self {
        AuthorizationError(.forbidden, "The signed-in user has no permission for \(operation).", isRecoverable: true)
    }

    /// The session has ended.
    public static func sessionExpired(cause: (any Error)? = nil) -> Self {
        AuthorizationError(.sessionExpired, "The session has ended.", isRecoverable: true, cause: cause)
    }
}

/// A destination in the application cannot be shown.
public struct NavigationError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// `route` leads to no known destination.
    public static func unknownRoute(_ route: String) -> Self {
        NavigationError(.unknownRoute, "The route \(route) has no known destination.")
    }

    static func fallbackFailed(cause: any Error) -> Self {
        NavigationError(
            .navigationFallbackFailed,
            "The fallback destination of an error could not be shown: \(String(clause: cause)).",
            cause: cause
        )
    }
}

/// A request over the network failed.
public struct NetworkError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// There is no connection to `host`.
    public static func noConnection(to host: String, cause: (any Error)? = nil) -> Self {
        NetworkError(.noConnection, "There is no connection to \(host).", cause: cause)
    }

    /// No answer to `request` came within `limit`.
    public static func timeout(_ request: String, after limit: Duration, cause: (any Error)? = nil) -> Self {
        NetworkError(.networkTimeout, "\(request) was not answered within \(limit).", cause: cause)
    }

    /// `request` was answered with `status`. Recoverable from 500 on, and for 408 (time-out) and 429 (too many).
    public static func server(_ request: String, status: Int) -> Self {
        let mayPass = status >= 500 || status == 408 || status == 429
        var facts = ErrorFacts(
            .serverError,
            "\(request) was answered with \(status).",
            suggestedAction: mayPass ? .retry : .contactSupport,
            isRecoverable: mayPass
        )
        facts.status = status
        return NetworkError(facts)
    }

    /// The answer to `request` could not be decoded.
    ///
    /// - Parameter problem: The problem, as in `it is not JSON`.
    public static func invalidResponse(_ request: String, _ problem: String, cause: (any Error)? = nil) -> Self {
        NetworkError(
            .invalidResponse,
            "The answer to \(request) could not be decoded: \(problem.clause).",
            cause: cause
        )
    }
}

/// An input is not valid. The user can correct it and continue.
public struct ValidationError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// `field` is required and missing.
    public static func missing(_ field: String) -> Self {
        ValidationError(.missingValue, "\(field) is missing.", isRecoverable: true)
    }

    /// `field` does not have the required format.
    ///
    /// - Parameter expected: The format, as in `name@host`.
    public static func invalidFormat(_ field: String, expected: String) -> Self {
        ValidationError(.invalidFormat, "\(field) does not have the format \(expected).", isRecoverable: true)
    }

    /// An action is invalid, because `reason`: for ``Action/validate()``.
    public static func actionRefused(_ reason: String) -> Self {
        ValidationError(.actionRefused, "The action was refused: \(reason.clause).", isRecoverable: true)
    }

    /// `field` is outside `range`.
    public static func outOfRange<Value: Comparable & Sendable>(_ field: String, _ range: ClosedRange<Value>) -> Self {
        ValidationError(
            .outOfRange,
            "\(field) must be between \(range.lowerBound) and \(range.upperBound).",
            isRecoverable: true
        )
    }
}
