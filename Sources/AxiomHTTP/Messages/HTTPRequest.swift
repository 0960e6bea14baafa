// SPDX-License-Identifier: Apache-2.0

/// A complete request that a route matched.
package struct HTTPRequest: Sendable {
    /// One item of the query, such as `name=value`; an item without `=` has an empty value.
    package struct QueryItem: Sendable, Hashable {
        /// The decoded name.
        package let name: String
        /// The decoded value.
        package let value: String

        /// Creates an item from its decoded name and value.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method. A `GET` route also receives `HEAD` requests, and responds as to a `GET`.
    package let method: HTTPMethod
    /// The percent-decoded path, with its leading slash.
    package let path: String
    /// The decoded query in order; a name may occur more than once.
    package let query: [QueryItem]
    /// The header fields.
    package let headers: HTTPHeaders
    /// The body; empty if the request has none.
    package let body: [UInt8]
    /// The numeric address of the peer, such as `127.0.0.1` or `::1`; empty if the peer has disconnected.
    package let peerAddress: String
    /// The decoded values of the route's `{name}` parts.
    package let parameters: [String: String]

    /// Creates a request.
    package init(
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
    package func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Every query value of `name`, in order.
    package func queryValues(_ name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }
}

/// A request method, such as `GET`. Methods are case-sensitive.
package struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The spelling in the request line.
    package let rawValue: String

    /// Creates a method from its spelling in the request line.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `GET`
    package static let get = HTTPMethod(rawValue: "GET")
    /// `HEAD`
    package static let head = HTTPMethod(rawValue: "HEAD")
    /// `POST`
    package static let post = HTTPMethod(rawValue: "POST")

    /// The spelling in the request line.
    package var description: String { rawValue }
}
