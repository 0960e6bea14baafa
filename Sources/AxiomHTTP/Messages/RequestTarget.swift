// SPDX-License-Identifier: Apache-2.0

/// The request target of origin form (`/path?query`) or absolute form (`http://host/path?query`), decoded strictly.
///
/// It is read from the raw request line, because libmicrohttpd decodes in place into a C string, where `%00` would
/// cut the path short and a broken escape would pass as text.
struct RequestTarget: Sendable, Hashable {
    /// The decoded parts between the slashes. A `%2F` stays inside its part and never becomes a separator.
    let segments: [String]
    let query: [HTTPRequest.QueryItem]
    /// The host and port of absolute form; nil in origin form.
    let authority: String?

    var path: String { "/" + segments.joined(separator: "/") }

    /// `nil` if the target has neither form, or decodes to something that is not text: a broken escape, bytes that are
    /// not UTF-8, or a control character.
    init?(_ target: some Collection<UInt8>) {
        guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let (authority, raw) = Self.takeApart(Array(target))
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

    /// The authority of absolute form, and the rest, to which an empty path is added.
    private static func takeApart(_ target: [UInt8]) -> (authority: String?, rest: ArraySlice<UInt8>) {
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
