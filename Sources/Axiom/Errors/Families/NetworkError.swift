// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A request over the network failed.
public struct NetworkError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension NetworkError {
    /// There is no connection to `host`.
    public static func noConnection(to host: String, cause: (any Error)? = nil) -> Self {
        NetworkError(ErrorFacts(.noConnection, "There is no connection to \(host).", cause: cause))
    }

    /// No answer to `request` came within `limit`.
    public static func timeout(_ request: String, after limit: Duration, cause: (any Error)? = nil) -> Self {
        NetworkError(
            ErrorFacts(.networkTimeout, "\(request) was not answered within \(limit).", cause: cause)
        )
    }

    /// `request` was answered with `status`. Recoverable from 500 on, and for 408 (time-out) and 429 (too many).
    public static func server(_ request: String, status: Int) -> Self {
        let mayPass = status >= 500 || status == 408 || status == 429
        return NetworkError(
            ErrorFacts(
                .serverError,
                "\(request) was answered with \(status).",
                suggestedAction: mayPass ? .retry : .contactSupport,
                isRecoverable: mayPass
            )
        )
    }

    /// The answer to `request` cannot be understood.
    ///
    /// - Parameter problem: The problem, as in `it is no JSON`.
    public static func invalidResponse(_ request: String, _ problem: String, cause: (any Error)? = nil) -> Self {
        NetworkError(
            ErrorFacts(
                .invalidResponse,
                "\(request) was answered with something that cannot be understood: \(problem.clause).",
                cause: cause
            )
        )
    }
}
