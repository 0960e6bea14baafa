// SPDX-License-Identifier: Apache-2.0

/// Writes JSON so that a version control system shows what changed: one line for each member, and one line for each
/// element of the lists that `lines` names.
struct JSONWriter {
    /// The names of lists and objects that have one line for each element.
    let lines: Set<String>
    private var text = ""

    /// The value as text that ends with a line feed.
    static func text(_ value: JSON, lines: Set<String>) -> String {
        var writer = JSONWriter(lines: lines)
        writer.write(value, depth: 0, eachOnOneLine: false)
        return writer.text + "\n"
    }

    private init(lines: Set<String>) {
        self.lines = lines
    }

    private mutating func write(_ value: JSON, depth: Int, eachOnOneLine: Bool) {
        switch value {
        case .object(let members) where !members.isEmpty:
            broken("{", "}", members, depth: depth) { writer, member in
                Self.quote(member.name, into: &writer.text)
                writer.text += ": "
                writer.write(member, depth: depth + 1, inLine: eachOnOneLine)
            }
        case .array(let elements) where elements.contains { !$0.isScalar }:
            broken("[", "]", elements, depth: depth) { writer, element in
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

    private mutating func write(_ member: JSON.Member, depth: Int, inLine: Bool) {
        if inLine {
            compact(member.value)
        } else {
            write(member.value, depth: depth, eachOnOneLine: lines.contains(member.name))
        }
    }

    private mutating func broken<Element>(
        _ opening: String,
        _ closing: String,
        _ elements: [Element],
        depth: Int,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        text += opening
        for (position, element) in elements.enumerated() {
            text += (position == 0 ? "\n" : ",\n") + String(repeating: "  ", count: depth + 1)
            write(&self, element)
        }
        text += "\n" + String(repeating: "  ", count: depth) + closing
    }

    private mutating func compact(_ value: JSON) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): Self.quote(string, into: &text)
        case .array(let elements): separated("[", "]", elements) { $0.compact($1) }
        case .object(let members):
            separated("{", "}", members) { writer, member in
                Self.quote(member.name, into: &writer.text)
                writer.text += ": "
                writer.compact(member.value)
            }
        }
    }

    private mutating func separated<Element>(
        _ opening: String,
        _ closing: String,
        _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        text += opening
        for (position, element) in elements.enumerated() {
            if position > 0 { text += ", " }
            write(&self, element)
        }
        text += closing
    }

    /// Escapes what RFC 8785 escapes, in the short form if there is one.
    static func quote(_ string: String, into text: inout String) {
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
}
