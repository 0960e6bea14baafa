// SPDX-License-Identifier: Apache-2.0

/// A request that arrived whole and that a route matched.
public struct HTTPRequest: Sendable {
    /// One item of the query, such as `name=value`; an item without `=` has an empty value.
    public struct QueryItem: Sendable, Hashable {
        /// The decoded name.
        public let name: String
        /// The decoded value.
        public let value: String

        /// Makes an item from its decoded name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method. A `GET` route is also asked for `HEAD`, and answers it as it would the `GET`.
    public let method: HTTPMethod
    /// The percent-decoded path, with its leading slash.
    public let path: String
    /// The decoded query in order; a name may occur more than once.
    public let query: [QueryItem]
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty when the request has none.
    public let body: [UInt8]
    /// The numeric address of the peer, such as `127.0.0.1` or `::1`; empty when the peer has already gone.
    public let peerAddress: String
    /// What the `{name}` parts of the route matched, decoded.
    public let parameters: [String: String]

    /// Makes a request, as a test of a handler does.
    public init(
        method: HTTPMethod = .get,
        path: String,
        query: [QueryItem] = [],
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        peerAddress: String = "127.0.0.1",
        parameters: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peerAddress = peerAddress
        self.parameters = parameters
    }

    /// The first query value of `name`.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Every query value of `name`, in order.
    public func queryValues(_ name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }
}
