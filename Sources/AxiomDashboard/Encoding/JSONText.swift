// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// JSON, written straight into bytes. The text can stand within a script element of HTML: `<` and the two line separators
/// that old versions of JavaScript do not allow in strings are escaped.
struct JSONText: Sendable {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    var count: Int { bytes.count }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func raw(_ text: some Collection<UInt8>) {
        bytes.append(contentsOf: text)
    }

    mutating func comma() {
        bytes.append(UInt8(ascii: ","))
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        raw(String(value))
    }

    /// JSON has no NaN and no infinities: they are null.
    mutating func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Number?) {
        guard let value, value.isFinite else { return raw("null" as StaticString) }
        if let whole = Int64(exactly: value) { integer(whole) } else { raw(value.description) }
    }

    /// `[…]`
    mutating func list<Elements: Sequence>(_ elements: Elements, _ write: (inout JSONText, Elements.Element) -> Void) {
        raw("[" as StaticString)
        for (index, element) in elements.enumerated() {
            if index > 0 { comma() }
            write(&self, element)
        }
        raw("]" as StaticString)
    }

    /// `{…}`, with the members that `write` adds.
    mutating func object(_ write: (inout JSONText) -> Void) {
        raw("{" as StaticString)
        write(&self)
        raw("}" as StaticString)
    }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { append(escaping: $0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7F, UInt8(ascii: "<"): escape(byte)
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9: at the last byte all three are replaced.
            case 0xA8, 0xA9:
                guard index >= 2, text[index - 1] == 0x80, text[index - 2] == 0xE2 else {
                    bytes.append(byte)
                    continue
                }
                bytes.removeLast(2)
                raw(byte == 0xA8 ? "\\u2028" : "\\u2029" as StaticString)
            default: bytes.append(byte)
            }
        }
    }

    private mutating func escape(_ byte: UInt8) {
        raw("\\u00" as StaticString)
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 + digit : 87 + digit) }
    }

    // MARK: - Members of objects

    /// `{"schema":…,"version":1,"instance":…}`, with the members that `write` adds.
    static func document(_ schema: String, of instance: String, _ write: (inout JSONText) -> Void) -> JSONText {
        var json = JSONText(capacity: 1_024)
        json.object { json in
            json.member("schema", schema)
            json.member("version", 1)
            json.member("instance", instance)
            write(&json)
        }
        return json
    }

    /// `{"error":…}`, with the members that `write` adds.
    static func error(_ message: String, _ write: (inout JSONText) -> Void = { _ in }) -> JSONText {
        .object { json in
            json.member("error", message)
            write(&json)
        }
    }

    /// `{…}`, with the members that `write` adds.
    static func object(_ write: (inout JSONText) -> Void) -> JSONText {
        var json = JSONText()
        json.object(write)
        return json
    }

    /// `"name":`, after a comma unless it is the first member. The name needs no escapes.
    mutating func key(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        raw("\":" as StaticString)
    }

    private mutating func separate() {
        if let last = bytes.last, last != UInt8(ascii: "{") { comma() }
    }

    mutating func member(_ name: String, _ write: (inout JSONText) -> Void) {
        key(name)
        write(&self)
    }

    mutating func member(_ name: String, _ value: RowValue) {
        key(name)
        value.write(to: &self)
    }

    /// A text, whole; null for nil.
    mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { string(text) } else { raw("null" as StaticString) }
    }

    mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    /// A number with all its digits.
    mutating func member(_ name: String, _ value: Double?) {
        key(name)
        number(value)
    }

    /// JSON that was written elsewhere.
    mutating func member(_ name: String, json: some Collection<UInt8>) {
        key(name)
        raw(json)
    }

    /// An object of texts. The names may be any texts.
    mutating func texts(_ texts: some Sequence<(key: String, value: String)>) {
        object { json in
            for (name, text) in texts {
                json.separate()
                json.string(name)
                json.raw(":" as StaticString)
                json.string(text)
            }
        }
    }
}

extension Double {
    /// The number to `digits` significant digits: what a person reads, in few bytes, and the same text until the change
    /// matters.
    func significant(_ digits: Int = 4) -> Double {
        guard isFinite, self != 0 else { return self }
        let decimals = Double(digits - 1) - log10(magnitude).rounded(.down)
        guard decimals.magnitude < 300 else { return self }
        let scale = pow(10, decimals.magnitude)
        return decimals < 0 ? (self / scale).rounded() * scale : (self * scale).rounded() / scale
    }
}
