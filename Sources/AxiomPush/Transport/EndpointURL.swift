// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Foundation

/// A checked URL with the scheme `http` or `https`, as libcurl parses it.
struct EndpointURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL without a slash at its end, unless it is to keep it.
    let description: String
    /// The path; empty if there is none.
    let path: String
    private let host: String
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    )

    /// - Throws: ``PushError`` if the text is no such URL. The message does not contain a user or a password.
    init(_ text: String, keepsSlash: Bool = false) throws(PushError) {
        guard let handle = curl_url() else { throw Self.invalid("libcurl has no memory") }
        defer { curl_url_cleanup(handle) }
        guard PushEndpoint.isLine(text), curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else {
            throw Self.invalid("it is no URL; write it as http://host:9091")
        }
        let scheme = Self.part(CURLUPART_SCHEME, handle)
        guard scheme == "http" || scheme == "https" else {
            throw Self.invalid("its scheme is \(scheme ?? "missing"); use http or https")
        }
        for (part, remedy) in [
            (CURLUPART_USER, "it contains a user; set the credentials of the endpoint instead"),
            (CURLUPART_PASSWORD, "it contains a password; set the credentials of the endpoint instead"),
            (CURLUPART_QUERY, "it has a query; remove it"), (CURLUPART_FRAGMENT, "it has a fragment; remove it"),
        ] where Self.part(part, handle) != nil {
            throw Self.invalid(remedy)
        }
        host = Self.part(CURLUPART_HOST, handle) ?? ""
        let whole = Self.part(CURLUPART_URL, handle) ?? text
        description = keepsSlash ? whole : Self.withoutSlash(whole)
        path = Self.withoutSlash(Self.part(CURLUPART_PATH, handle) ?? "")
    }

    private init(_ description: String, path: String, host: String) {
        (self.description, self.path, self.host) = (description, path, host)
    }

    /// The URL with more path, which is percent-encoded already and begins with a slash.
    func appending(_ more: String) -> EndpointURL {
        EndpointURL(description + more, path: path + more, host: host)
    }

    /// Whether the server is on this machine. Then no proxy is used.
    var isLoopback: Bool { host == "localhost" || host == "[::1]" || host.hasPrefix("127.") }

    /// A text as a part of a path: all bytes but letters, digits and `-._~` are encoded (RFC 3986, unreserved).
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static func withoutSlash(_ text: String) -> String {
        var text = text[...]
        while text.last == "/" { text.removeLast() }
        return String(text)
    }

    private static func part(_ part: CURLUPart, _ handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    private static func invalid(_ reason: String) -> PushError {
        PushError(.invalidConfiguration, "The URL of an endpoint cannot be used: \(reason).")
    }
}
