// SPDX-License-Identifier: Apache-2.0

/// Writes JSON, either for people or in the canonical form.
struct JSONWriter {
    /// The names of lists and objects that have one line for each element.
    private let lines: Set<String>
    private let isCanonical: Bool
    private var text = ""

    /// The value as text that ends with a line feed, so that a version control system shows what changed: one line for
    /// each member, and one line for each element of the lists that `lines` names.
    static func text(_ value: JSON, lines: Set<String>) -> String {
        var writer = JSONWriter(lines: lines, isCanonical: false)
        writer.write(value, depth: 0, eachOnOneLine: false)
        return writer.text + "\n"
    }

    /// The canonical form (RFC 8785), which checksums cover: no spaces, names sorted by UTF-16 code units, numbers as
    /// ECMAScript prints them. A file that is only formatted differently keeps its checksum.
    static func canonical(_ value: JSON) -> String {
        var writer = JSONWriter(lines: [], isCanonical: true)
        writer.compact(value)
        return writer.text
    }

    private init(lines: Set<String>, isCanonical: Bool) {
        (self.lines, self.isCanonical) = (lines, isCanonical)
    }

    private mutating func write(_ value: JSON, depth: Int, eachOnOneLine: Bool) {
        switch value {
        case .object(let members) where !members.isEmpty:
            list("{", "}", members, depth: depth) { writer, member in
                writer.quote(member.name)
                writer.text += ": "
                if eachOnOneLine {
                    writer.compact(member.value)
                } else {
                    writer.write(member.value, depth: depth + 1, eachOnOneLine: writer.lines.contains(member.name))
                }
            }
        case .array(let elements) where elements.contains { !$0.isScalar }:
            list("[", "]", elements, depth: depth) { writer, element in
                if eachOnOneLine {
                    writer.compact(element)
                } else {
                    writer.write(element, depth: depth + 1, eachOnOneLine: false)
                }
            }
        default:
            compact(value)
        }
    }

    private mutating func compact(_ value: JSON) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += isCanonical ? Self.digits(Double(digits) ?? 0) : digits
        case .string(let string): quote(string)
        case .array(let elements): list("[", "]", elements, depth: nil) { $0.compact($1) }
        case .object(let members):
            let members = isCanonical ? members.sorted { JSON.isOrdered($0.name, $1.name) } : members
            list("{", "}", members, depth: nil) { writer, member in
                writer.quote(member.name)
                writer.text += writer.isCanonical ? ":" : ": "
                writer.compact(member.value)
            }
        }
    }

    /// Writes elements on lines of their own, indented for `depth`; on one line if that is nil.
    private mutating func list<Element>(
        _ opening: String,
        _ closing: String,
        _ elements: [Element],
        depth: Int?,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        text += opening
        let separator = isCanonical || depth != nil ? "," : ", "
        for (position, element) in elements.enumerated() {
            if position > 0 { text += separator }
            if let depth { breakLine(depth + 1) }
            write(&self, element)
        }
        if let depth { breakLine(depth) }
        text += closing
    }

    private mutating func breakLine(_ depth: Int) {
        text += "\n" + String(repeating: "  ", count: depth)
    }

    /// Escapes what RFC 8785 escapes, in the short form if there is one.
    private mutating func quote(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{c}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// A finite number with the fewest digits that read back as it, laid out as ECMAScript's `Number::toString` does.
    static func digits(_ value: Double) -> String {
        if value == 0 { return "0" }
        if value < 0 { return "-" + digits(-value) }
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
