// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

/// An option of a destination is invalid, or a push failed. The message names the destination, the cause and the remedy; it
/// never contains credentials.
public struct PushError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``PushError``. More may be added. Each, but for the first, is a value of the label `outcome` of
    /// `axiom_push_requests_total`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind as it is printed.
        public let description: String
        /// Whether the same request can succeed later.
        let isTransient: Bool

        private init(_ description: String, isTransient: Bool) {
            self.description = description
            self.isTransient = isTransient
        }

        /// An option has an invalid value.
        public static let invalidConfiguration = Code("invalid_configuration", isTransient: false)
        /// There is no connection, or it broke.
        public static let unreachable = Code("unreachable", isTransient: true)
        /// The connection or the response did not come in time.
        public static let timedOut = Code("timed_out", isTransient: true)
        /// The certificate of the server was not accepted, or ours could not be used.
        public static let untrusted = Code("untrusted", isTransient: true)
        /// The server is overloaded or out of order: 429 or 5xx.
        public static let unavailable = Code("unavailable", isTransient: true)
        /// The server refused the request: any other status than 2xx.
        public static let rejected = Code("rejected", isTransient: false)
        /// The response has more bytes than ``PushEndpoint/maximumResponseBytes``.
        public static let responseTooLarge = Code("response_too_large", isTransient: false)
        /// A file could not be written.
        public static let fileFailed = Code("file_failed", isTransient: true)

        /// The kinds of failed pushes.
        static let failures = [
            unreachable, timedOut, untrusted, unavailable, rejected, responseTooLarge, fileFailed,
        ]
    }

    /// The kind, to decide on.
    public let code: Code
    /// The destination, the cause and the remedy.
    public let message: String
    /// The HTTP status; nil if there was no response.
    public let status: Int?
    /// How long the server asked to wait before the next request.
    public let retryAfter: Duration?

    package init(_ code: Code, _ message: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The kind and the message.
    public var description: String { "\(code): \(message)" }
}

extension PushError: RetryAdvising {
    /// To retry what is transient, after the wait that the server asked for. A certificate does not change between two
    /// attempts, and neither does a folder: they are tried again with the next push.
    public var retryAdvice: RetryDecision {
        guard code.isTransient, code != .untrusted, code != .fileFailed else { return .stop }
        return retryAfter.map { .retry(after: $0) } ?? .retry
    }
}
