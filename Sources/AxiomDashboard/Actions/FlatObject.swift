// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A JSON object whose members are text or numbers: the body of a request. Everything else is refused: other values,
/// members that occur twice, and text after the object.
struct FlatObject: Sendable, Hashable {
    enum Member: Sendable, Hashable {
        case text(String)
        case number(Double)
    }

    private(set) var members: [String: Member] = [:]
    /// The names in the order of the text.
    private(set) var names: [String] = []

    /// - Throws: ``QueryError`` that names the member, or `body` if the text is no such object.
    init(_ bytes: [UInt8]) throws(QueryError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw QueryError("body", "\(bytes.count) bytes", "give JSON in UTF-8")
        }
        var reader = Reader(bytes)
        try reader.expect(UInt8(ascii: "{"))
        if reader.take(UInt8(ascii: "}")) {
            try reader.expectEnd()
            return
        }
        repeat {
            let name = try reader.string()
            try reader.expect(UInt8(ascii: ":"))
            let value = try reader.value(of: name)
            guard members.updateValue(value, forKey: name) == nil else {
                throw QueryError(name, "given twice", "give it once")
            }
            names.append(name)
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "}"))
        try reader.expectEnd()
    }
}

/// Reads JSON from bytes that are valid UTF-8.
private struct Reader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var error: QueryError {
        QueryError("body", "not a JSON object at byte \(index)", "give an object whose members are text or numbers")
    }

    private mutating func skipBlanks() {
        while let next, [0x20, 0x09, 0x0A, 0x0D].contains(next) { index += 1 }
    }

    /// Skips blanks, and the byte if it comes next.
    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        index += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(QueryError) {
        guard take(byte) else { throw error }
    }

    mutating func expectEnd() throws(QueryError) {
        skipBlanks()
        guard index == bytes.count else { throw error }
    }

    /// A text. Escapes are decoded by Foundation, once the end of the text is found.
    mutating func string() throws(QueryError) -> String {
        skipBlanks()
        let start = index
        try expect(UInt8(ascii: "\""))
        while let next, next != UInt8(ascii: "\"") {
            guard next >= 0x20 else { throw error }
            index += next == UInt8(ascii: "\\") ? 2 : 1
        }
        try expect(UInt8(ascii: "\""))
        let literal = Data(bytes[start..<index])
        guard let text = try? JSONDecoder().decode(String.self, from: literal) else { throw error }
        return text
    }

    mutating func value(of name: String) throws(QueryError) -> FlatObject.Member {
        skipBlanks()
        guard let next else { throw error }
        switch next {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(name))
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            throw QueryError(name, "of another type", "give text or a number")
        default: throw error
        }
    }

    /// A number: digits that JSON allows, and that a `Double` can hold.
    private mutating func number(_ name: String) throws(QueryError) -> Double {
        let start = index
        while let next, "+-.eE0123456789".utf8.contains(next) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil,
            let value = Double(text), value.isFinite
        else { throw QueryError(name, text, "give a JSON number") }
        return value
    }
}
