// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A call took longer than it may.
public struct TimeoutError: MessageError, Hashable, CustomStringConvertible {
    /// What the limit is for. More scopes may be added.
    public struct Scope: Hashable, Sendable, CustomStringConvertible {
        /// The scope as it is printed.
        public let description: String

        /// A whole call through a ``Timeout``.
        public static let call = Scope(description: "call")
        /// One attempt of a ``Retry``.
        public static let attempt = Scope(description: "attempt")
        /// All attempts of a ``Retry`` and the waits between them.
        public static let total = Scope(description: "total")
    }

    /// The name of the strategy that set the limit.
    public let policy: String
    /// The limit.
    public let limit: Duration
    /// What the limit is for.
    public let scope: Scope

    /// Makes an error, for strategies of the user's own.
    public init(policy: String, limit: Duration, scope: Scope = .call) {
        self.policy = policy
        self.limit = limit
        self.scope = scope
    }

    /// The same text as ``description``.
    public var message: String { description }

    /// The limit, what it is for and who set it.
    public var description: String {
        "\(policy): the \(scope) did not end within \(limit)"
    }
}
