// SPDX-License-Identifier: Apache-2.0

/// A complete request that a route matched.
package struct HTTPRequest: Sendable {
    /// One item of the query, such as `name=value`; an item without `=` has an empty value.
    package struct QueryItem: Sendable, Hashable {
        /// The decoded name.
        package let name: String
        /// The decoded value.
        package let value: String
    }

    /// The method. A `GET` route also receives `HEAD` requests, and responds as to a `GET`.
    package private(set) var method: HTTPMethod = .get
    /// The percent-decoded path, with its leading slash.
    package let path: String
    /// The decoded query in order; a name may occur more than once.
    package private(set) var query: [QueryItem] = []
    package private(set) var headers: HTTPHeaders = [:]
    /// The body; empty if the request has none.
    package private(set) var body: [UInt8] = []
    /// The numeric address of the peer, such as `127.0.0.1` or `::1`; empty if the peer has disconnected.
    package private(set) var peerAddress = "127.0.0.1"
    /// The decoded values of the route's `{name}` parts.
    package private(set) var parameters: [String: String] = [:]

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
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let get = HTTPMethod(rawValue: "GET")
    package static let head = HTTPMethod(rawValue: "HEAD")
    package static let post = HTTPMethod(rawValue: "POST")

    /// The spelling in the request line.
    package var description: String { rawValue }
}
