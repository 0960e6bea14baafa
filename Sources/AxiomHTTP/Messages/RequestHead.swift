// SPDX-License-Identifier: Apache-2.0

struct RequestHead: Sendable {
    let method: HTTPMethod
    let isHTTP10: Bool
    let target: RequestTarget?
    let headers: HTTPHeaders
    let framing: RequestFraming

    init(method: HTTPMethod, isHTTP10: Bool, target: RequestTarget?, headers: HTTPHeaders) {
        self.method = method
        self.isHTTP10 = isHTTP10
        self.target = target
        self.headers = headers
        framing = RequestFraming(headers, isHTTP10: isHTTP10)
    }
}

/// Where the body of a request ends, by its headers.
///
/// Two readers that disagree on it also disagree on where the next request begins (request smuggling), so an ambiguous
/// length is refused.
struct RequestFraming: Sendable {
    /// The value of `Content-Length`; nil without one.
    let contentLength: Int?
    let hasBody: Bool
    /// The response to a request whose end is ambiguous; nil if it is not.
    let refusal: HTTPResponse?

    init(_ headers: HTTPHeaders, isHTTP10: Bool) {
        let lengths = headers.values(of: "Content-Length")
        let codings = headers.values(of: "Transfer-Encoding")
        let length = lengths.first.flatMap { Self.isDecimal($0) ? Int($0) : nil }
        contentLength = length
        hasBody = !codings.isEmpty || (lengths.first != nil && length != 0)
        let isAmbiguous =
            lengths.count + codings.count > 1 || (!lengths.isEmpty && length == nil) || (isHTTP10 && !codings.isEmpty)
        refusal = isAmbiguous ? .ambiguousLength : codings.first.flatMap(Self.refusal)
    }

    /// The response to a list of transfer codings; nil for `chunked` alone. Without `chunked` as the last one, and only
    /// there, the body has no end (RFC 9112 section 6.3).
    private static func refusal(of codings: String) -> HTTPResponse? {
        if HTTPHeaders.equal(codings, "chunked") { return nil }
        let names = codings.split(separator: ",", omittingEmptySubsequences: false).map { name in
            name.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        }
        let chunked = names.indices.filter { HTTPHeaders.equal(String(names[$0]), "chunked") }
        return chunked == [names.count - 1] ? .unknownCoding : .ambiguousLength
    }

    private static func isDecimal(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// Each closes the connection. Where the length is in doubt, the bytes that follow could be part of this request or the next
/// one.
extension HTTPResponse {
    static let malformedMethod = closing("The method is not a token.\n", .badRequest)

    fileprivate static let ambiguousLength = closing("The length of the body is ambiguous.\n", .badRequest)

    fileprivate static let unknownCoding = closing("The only transfer coding is chunked.\n", .notImplemented)

    /// 1.0 of libmicrohttpd refuses these itself, and closes the connection.
    static let missingHost = closing("The Host header is missing.\n", .badRequest)
    static let secondHost = closing("The Host header occurs twice.\n", .badRequest)

    private static func closing(_ text: String, _ status: HTTPStatus) -> HTTPResponse {
        var response = HTTPResponse.text(text, status: status)
        response.closesConnection = true
        return response
    }
}

/// The request target of origin form (`/path?query`) or absolute form (`http://host/path?query`), decoded strictly.
///
/// It is parsed from the raw request line, because libmicrohttpd decodes in place into a C string, where `%00` would end
/// the path and a malformed escape would pass as text.
struct RequestTarget: Sendable, Hashable {
    /// The decoded segments between the slashes. A `%2F` is part of its segment and no separator.
    let segments: [String]
    let query: [HTTPRequest.QueryItem]
    /// The host and port of absolute form; nil in origin form.
    let authority: String?

    var path: String { "/" + segments.joined(separator: "/") }

    /// Returns nil if the target has neither form, or has a malformed escape, bytes that are not UTF-8, or a control
    /// character.
    init?(_ target: some Collection<UInt8>) {
        guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let (authority, raw) = Self.split(Array(target))
        guard raw.first == UInt8(ascii: "/"), authority?.isEmpty != true else { return nil }
        self.authority = authority
        let parts = raw.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for part in parts[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = Self.decode(part, plusIsSpace: false) else { return nil }
            segments.append(segment)
        }
        var query: [HTTPRequest.QueryItem] = []
        for item in parts.dropFirst().joined().split(separator: UInt8(ascii: "&")) {
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(pair[0], plusIsSpace: true),
                let value = pair.count == 2 ? Self.decode(pair[1], plusIsSpace: true) : ""
            else { return nil }
            query.append(HTTPRequest.QueryItem(name: name, value: value))
        }
        self.segments = segments
        self.query = query
    }

    /// The authority of absolute form, and the rest, which begins with a slash.
    private static func split(_ target: [UInt8]) -> (authority: String?, rest: ArraySlice<UInt8>) {
        let scheme = Array("http://".utf8)
        guard target.count >= scheme.count, zip(target, scheme).allSatisfy({ $0 == $1 || $0 == $1 ^ 0x20 && $1 > 0x60 })
        else { return (nil, target[...]) }
        let afterScheme = target.dropFirst(scheme.count)
        let end = afterScheme.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.endIndex
        let path = target[end...]
        let rest = path.first == UInt8(ascii: "/") ? path : ([UInt8(ascii: "/")] + path)[...]
        return (String(decoding: afterScheme[..<end], as: UTF8.self), rest)
    }

    private static func decode(_ raw: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// What a request says in its `Authorization` header. Its description has no secret.
package enum Credentials: Sendable, Equatable, CustomStringConvertible {
    /// RFC 7617.
    case basic(user: String, password: [UInt8])
    /// RFC 6750.
    case bearer([UInt8])
    /// There is no such header, more than one, or one that is malformed or of another scheme.
    case none

    private static let longestHeader = 4_096

    package init(_ headers: HTTPHeaders) {
        let values = headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first, value.utf8.count <= Self.longestHeader,
            let space = value.firstIndex(of: " ")
        else {
            self = .none
            return
        }
        let rest = value[space...].drop { $0 == " " }
        switch value[..<space].lowercased() {
        case "basic": self = Self.basic(rest) ?? .none
        case "bearer": self = rest.isEmpty ? .none : .bearer(Array(rest.utf8))
        default: self = .none
        }
    }

    private static func basic(_ text: Substring) -> Credentials? {
        guard let bytes = SecretMemory.decodeBase64(text), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: bytes[..<colon], as: UTF8.self)
        else { return nil }
        return .basic(user: user, password: Array(bytes[(colon + 1)...]))
    }

    package var description: String {
        switch self {
        case .basic: "basic"
        case .bearer: "bearer"
        case .none: "none"
        }
    }
}
