// SPDX-License-Identifier: Apache-2.0

/// The canonical form of JSON (RFC 8785), which checksums cover: no spaces, names sorted by UTF-16 code units, numbers
/// as ECMAScript prints them. A file that is only formatted differently keeps its checksum.
enum CanonicalJSON {
    /// The canonical text of a value.
    static func text(_ value: JSON) -> String {
        var text = ""
        write(value, into: &text)
        return text
    }

    private static func write(_ value: JSON, into text: inout String) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += number(Double(digits) ?? 0)
        case .string(let string): JSONWriter.quote(string, into: &text)
        case .array(let elements):
            text += "["
            for (position, element) in elements.enumerated() {
                if position > 0 { text += "," }
                write(element, into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            let sorted = members.sorted { JSON.isOrdered($0.name, $1.name) }
            for (position, member) in sorted.enumerated() {
                if position > 0 { text += "," }
                JSONWriter.quote(member.name, into: &text)
                text += ":"
                write(member.value, into: &text)
            }
            text += "}"
        }
    }

    /// A finite number with the fewest digits that read back as it, laid out as ECMAScript's `Number::toString` does.
    static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        if value < 0 { return "-" + number(-value) }
        if value < 0x1p53, let integer = Int64(exactly: value) { return String(integer) }
        let (digits, point) = shortest(value)
        let count = digits.count
        if count <= point, point <= 21 { return digits + String(repeating: "0", count: point - count) }
        if 0 < point, point <= 21 { return digits.prefix(point) + "." + digits.dropFirst(point) }
        if -6 < point, point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point - 1
        let fraction = count > 1 ? "." + digits.dropFirst() : ""
        return "\(digits.prefix(1))\(fraction)e\(exponent < 0 ? "-" : "+")\(exponent.magnitude)"
    }

    /// The shortest digits, and the index of the digit after the decimal point, from Swift's own shortest form.
    private static func shortest(_ value: Double) -> (digits: String, point: Int) {
        let parts = value.description.split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = halves[0]
        let fraction = halves.count > 1 && halves[1] != "0" ? halves[1] : ""
        let all = whole + fraction
        let leading = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leading)
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), whole.count - leading + exponent)
    }
}
