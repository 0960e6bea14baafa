// SPDX-License-Identifier: Apache-2.0

/// A request method, such as `GET`. Methods are case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it stands in the request line.
    public let rawValue: String

    /// Makes a method from its spelling in the request line.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Read a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Read the headers that a `GET` would have had.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hand the body to the resource.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replace the resource by the body.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Remove the resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Change a part of the resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Ask what the resource allows.
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// The method as it stands in the request line.
    public var description: String { rawValue }
}
