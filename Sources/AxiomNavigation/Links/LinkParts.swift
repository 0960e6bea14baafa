// SPDX-License-Identifier: Apache-2.0

/// The reason why the text of a link or a pattern is invalid.
struct LinkProblem: Error, Hashable {
    /// The reason, as a clause.
    let reason: String
    /// The remedy, as a sentence.
    let remedy: String
    /// The byte at which the problem is.
    let offset: Int

    init(_ reason: String, at offset: Int, _ remedy: String) {
        self.reason = reason
        self.remedy = remedy
        self.offset = offset
    }
}

/// The parts of a URL as they are written (RFC 3986, appendix B). The indices of the slices are offsets in the text.
struct LinkParts {
    let scheme: ArraySlice<UInt8>
    /// User name, host and port. Empty if the URL has none.
    let authority: ArraySlice<UInt8>
    let path: ArraySlice<UInt8>
    let query: ArraySlice<UInt8>?
    let fragment: ArraySlice<UInt8>?
    /// Whether `//` follows the scheme.
    let hasAuthority: Bool

    /// Splits `text`, whose length is tested first.
    init(_ text: String, limit: Int, remedy: String = "Shorten it.") throws(LinkProblem) {
        guard text.utf8.count <= limit else { throw LinkProblem("it is longer than \(limit) bytes", at: limit, remedy) }
        let bytes = Array(text.utf8)
        try Self.checkCharacters(bytes)
        var rest = bytes[...]
        scheme = try Self.scheme(of: rest)
        rest = rest[(scheme.endIndex + 1)...]
        fragment = Self.cut(&rest, at: .hash)
        query = Self.cut(&rest, at: .question)
        hasAuthority = rest.starts(with: [.slash, .slash])
        if hasAuthority {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: .slash) ?? rest.endIndex
            authority = rest[..<end]
            path = rest[end...]
        } else {
            authority = rest[rest.startIndex..<rest.startIndex]
            path = rest
        }
    }

    private static func checkCharacters(_ bytes: [UInt8]) throws(LinkProblem) {
        for (offset, byte) in bytes.enumerated() where byte <= 0x20 || byte == 0x7f || byte == .backslash {
            throw LinkProblem(
                byte == .backslash ? "it contains a backslash" : "it contains white space or a control character",
                at: offset,
                "Percent-encode the character."
            )
        }
    }

    private static func scheme(of text: ArraySlice<UInt8>) throws(LinkProblem) -> ArraySlice<UInt8> {
        let end = text.firstIndex(of: .colon) ?? text.startIndex
        let scheme = text[..<end]
        let isValid = scheme.allSatisfy { $0.isAlphanumeric || $0 == .plus || $0 == .minus || $0 == .dot }
        guard let first = scheme.first, first.isLetter, isValid else {
            throw LinkProblem("it has no scheme", at: 0, "Begin with a scheme and ://, as in shop://product/7.")
        }
        return scheme
    }

    /// Removes what follows the first `separator`, with the separator, and returns it; nil if there is none.
    private static func cut(_ text: inout ArraySlice<UInt8>, at separator: UInt8) -> ArraySlice<UInt8>? {
        guard let index = text.firstIndex(of: separator) else { return nil }
        let rest = text[(index + 1)...]
        text = text[..<index]
        return rest
    }
}

extension UInt8 {
    static let hash = UInt8(ascii: "#")
    static let percent = UInt8(ascii: "%")
    static let ampersand = UInt8(ascii: "&")
    static let star = UInt8(ascii: "*")
    static let plus = UInt8(ascii: "+")
    static let minus = UInt8(ascii: "-")
    static let dot = UInt8(ascii: ".")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let equals = UInt8(ascii: "=")
    static let question = UInt8(ascii: "?")
    static let at = UInt8(ascii: "@")
    static let backslash = UInt8(ascii: "\\")

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isAlphanumeric: Bool { isLetter || isDigit }
    /// The value of a hexadecimal digit.
    var hexadecimal: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let lower = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower) ? lower - UInt8(ascii: "a") + 10 : nil
    }
    /// The lower case of an ASCII letter; other bytes as they are.
    var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
