// SPDX-License-Identifier: Apache-2.0

/// A request that a handler failed to answer, of which the client learns no more than the status 500.
public struct HTTPFailure: Sendable {
    /// The method of the request.
    public let method: HTTPMethod
    /// The decoded path of the request.
    public let path: String
    /// What the handler threw, or an ``HTTPServerError`` with code `invalidResponse` for what it answered.
    public let error: any Error
}
