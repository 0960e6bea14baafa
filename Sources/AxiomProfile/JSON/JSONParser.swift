// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) strictly: UTF-8, no name twice in an object, nothing after the value, numbers that a `Double`
/// can hold.
struct JSONParser {
    /// What is wrong, and at which byte, from 0.
    struct Failure: Error, Hashable {
        let problem: String
        let position: Int
    }

    /// How deep values may be nested: beyond, reading would exhaust the stack.
    static let depthLimit = 64

    private let bytes: [UInt8]
    private var position = 0

    /// Reads one value.
    static func parse(_ bytes: [UInt8]) throws(Failure) -> JSON {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(problem: "the text is not UTF-8", position: 0)
        }
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.failure("something follows the value") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.depthLimit else { throw failure("values are nested too deep") }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSON {
        var members: [JSON.Member] = []
        var names: Set<String> = []
        try list(from: "{", to: "}") { (parser) throws(Failure) in
            guard parser.peek == UInt8(ascii: "\"") else { throw parser.failure("a member's name is missing") }
            let name = try parser.string()
            guard names.insert(name).inserted else { throw parser.failure("the member \"\(name)\" occurs twice") }
            parser.skipSpace()
            try parser.expect(":")
            members.append(JSON.Member(name, try parser.value(depth: depth + 1)))
        }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Failure) -> JSON {
        var elements: [JSON] = []
        try list(from: "[", to: "]") { (parser) throws(Failure) in
            elements.append(try parser.value(depth: depth + 1))
        }
        return .array(elements)
    }

    /// Reads what stands between two brackets, with commas between the elements.
    private mutating func list(
        from opening: Unicode.Scalar,
        to closing: Unicode.Scalar,
        _ element: (inout JSONParser) throws(Failure) -> Void
    ) throws(Failure) {
        try expect(opening)
        skipSpace()
        if take(closing) { return }
        while true {
            skipSpace()
            try element(&self)
            skipSpace()
            if take(closing) { return }
            try expect(",")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(Failure) -> JSON {
        let expected = text.withUTF8Buffer { Array($0) }
        guard bytes[position...].starts(with: expected) else { throw failure("there is no JSON value") }
        position += expected.count
        return value
    }

    private mutating func number() throws(Failure) -> String {
        let start = position
        _ = take("-")
        if !take("0") {
            guard digits() > 0 else { throw failure("there is no JSON value") }
        }
        if take("."), digits() == 0 { throw failure("a digit must follow the point") }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if digits() == 0 { throw failure("an exponent has no digits") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw failure("the number \(text) is out of range") }
        return text
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func string() throws(Failure) -> String {
        try expect("\"")
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw failure("a control character stands in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string has no end")
    }

    private mutating func escape() throws(Failure) -> [UInt8] {
        guard let byte = peek else { throw failure("a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw failure("an escape sequence is unknown")
        }
    }

    /// The character of four hexadecimal digits, or of a pair of surrogates.
    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xd800..<0xdc00).contains(unit), take("\\"), take("u") else {
            throw failure("half of a surrogate pair stands alone")
        }
        let low = try codeUnit()
        guard (0xdc00..<0xe000).contains(low),
            let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw failure("half of a surrogate pair stands alone") }
        return scalar
    }

    private mutating func codeUnit() throws(Failure) -> UInt32 {
        let end = position + 4
        guard end <= bytes.count else { throw failure("a string has no end") }
        let digits = bytes[position..<end].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 4 else { throw failure("\\u needs four hexadecimal digits") }
        position = end
        return digits.reduce(0) { $0 << 4 | UInt32($1) }
    }

    private var peek: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(Failure) {
        guard take(scalar) else { throw failure("\"\(scalar)\" is missing") }
    }

    private func failure(_ problem: String) -> Failure {
        Failure(problem: position < bytes.count ? problem : "the text ends too early (\(problem))", position: position)
    }
}
