// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A URL, split and decoded: a scheme and a sequence of a host and the segments of the path.
///
/// The framework splits URLs itself, so that all platforms agree. The rules are those of RFC 3986, except for these:
/// empty segments are ignored, so that `shop://product//7/` is `shop://product/7`; a user name is refused; the
/// fragment is ignored.
struct LinkText: Sendable, Hashable {
    /// The longest URL, in bytes, unless an application permits another length. A sign-in answers with tokens of several
    /// kilobytes in the query or the fragment.
    static let maximumLength = 16_384
    /// The longest part before the query and the fragment, in bytes.
    static let maximumPathLength = 2_048
    /// The largest number of segments.
    static let maximumSegments = 64

    struct QueryItem: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// In lower case.
    let scheme: String
    /// The host in lower case, with its port if that is not the scheme's; then the segments of the path.
    let elements: [String]
    /// The items of the query that have a name. If a name occurs twice, the first value applies.
    let query: [QueryItem]

    init(_ text: String, maximumLength: Int = maximumLength) throws(LinkProblem) {
        let remedy = "Shorten it, or permit more: DeepLinkTable(…, maximumLength: …)."
        let parts = try LinkParts(text, limit: maximumLength, remedy: remedy)
        guard parts.path.endIndex <= Self.maximumPathLength else {
            let reason = "it is longer than \(Self.maximumPathLength) bytes before its query"
            throw LinkProblem(reason, at: Self.maximumPathLength, "Shorten it.")
        }
        scheme = String(decoding: parts.scheme.map(\.lowercased), as: UTF8.self)
        elements = [try LinkHost.normalized(parts.authority, scheme: scheme)] + (try Self.segments(parts.path))
        query = try parts.query.map(Self.items) ?? []
    }

    /// The first value of the query item `name`.
    func value(of name: String) -> String? { query.first { $0.name == name }?.value }

    /// The segments, decoded, without empty ones and without `.` and `..` (RFC 3986, section 5.2.4).
    private static func segments(_ path: ArraySlice<UInt8>) throws(LinkProblem) -> [String] {
        var (segments, count): ([String], Int) = ([], 0)
        for raw in path.split(separator: .slash) {
            count += 1
            guard count <= maximumSegments else {
                throw LinkProblem("it has more than \(maximumSegments) segments", at: raw.startIndex, "Shorten it.")
            }
            switch try PercentCoding.decode(raw) {
            case ".": continue
            case "..": _ = segments.popLast()
            case let segment: segments.append(segment)
            }
        }
        return segments
    }

    private static func items(_ query: ArraySlice<UInt8>) throws(LinkProblem) -> [QueryItem] {
        var items: [QueryItem] = []
        for item in query.split(separator: .ampersand) {
            let end = item.firstIndex(of: .equals) ?? item.endIndex
            let name = try PercentCoding.decode(item[..<end], isForm: true)
            let value = try PercentCoding.decode(item[end...].dropFirst(), isForm: true)
            if !name.isEmpty { items.append(QueryItem(name: name, value: value)) }
        }
        return items
    }

    /// Splits a link from outside.
    init(reading text: String, maximumLength: Int) throws(NavigationError) {
        do throws(LinkProblem) {
            try self.init(text, maximumLength: maximumLength)
        } catch {
            throw .invalidLink(error)
        }
    }
}

/// The host of a URL, with its port.
enum LinkHost {
    /// The characters that no host contains (WHATWG URL, forbidden host code points), and those of an authority.
    private static let forbidden: Set<UInt8> = Set("#%/:<>?@[\\]^|".utf8)

    /// The host in lower case, followed by a colon and the port unless it is the scheme's own; empty for no host.
    static func normalized(_ authority: ArraySlice<UInt8>, scheme: String) throws(LinkProblem) -> String {
        if let at = authority.firstIndex(of: .at) {
            throw LinkProblem("it contains a user name", at: at, "Remove the user name and the character @.")
        }
        let (host, rest) = authority.first == UInt8(ascii: "[") ? try address(authority) : try name(authority)
        guard let digits = rest?.dropFirst(), !digits.isEmpty else { return host }
        guard !host.isEmpty, digits.count <= 5, digits.allSatisfy(\.isDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else {
            throw LinkProblem(
                "its port is invalid",
                at: digits.startIndex,
                "Write a port from 1 to 65535 after a host."
            )
        }
        let isDefault = (scheme == "http" && port == 80) || (scheme == "https" && port == 443)
        return isDefault ? host : "\(host):\(port)"
    }

    /// A name or an IPv4 address, and what follows it from its colon on.
    private static func name(
        _ authority: ArraySlice<UInt8>
    ) throws(LinkProblem) -> (String, ArraySlice<UInt8>?) {
        let colon = authority.firstIndex(of: .colon)
        let raw = authority[..<(colon ?? authority.endIndex)]
        let decoded = Array(try PercentCoding.decode(raw).utf8)
        guard decoded.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !forbidden.contains($0) }) else {
            throw LinkProblem("its host is invalid", at: raw.startIndex, "Write a name, an IPv4 address, or [IPv6].")
        }
        return (String(decoding: decoded.map(\.lowercased), as: UTF8.self), colon.map { authority[$0...] })
    }

    /// An IPv6 address in brackets, and what follows it.
    private static func address(
        _ authority: ArraySlice<UInt8>
    ) throws(LinkProblem) -> (String, ArraySlice<UInt8>?) {
        let end = authority.firstIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let digits = authority[..<end].dropFirst()
        let rest = authority[end...].dropFirst()
        let isValid =
            digits.contains(.colon) && digits.allSatisfy { $0.hexadecimal != nil || $0 == .colon || $0 == .dot }
        guard isValid, rest.isEmpty || rest.first == .colon else {
            throw LinkProblem("its IPv6 address is invalid", at: authority.startIndex, "Write it as [2001:db8::1].")
        }
        return ("[\(String(decoding: digits.map(\.lowercased), as: UTF8.self))]", rest.isEmpty ? nil : rest)
    }
}
