// SPDX-License-Identifier: Apache-2.0

/// A JSON value whose members keep their order, so that a report is the same on every machine.
package enum OrderedJSON: Sendable, Hashable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case null
    case array([OrderedJSON])
    case object([Member])

    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: OrderedJSON
    }

    /// An object without the members that are nil.
    package static func object(_ members: KeyValuePairs<String, OrderedJSON?>) -> OrderedJSON {
        .object(members.compactMap { member in member.value.map { Member(name: member.key, value: $0) } })
    }

    package static func strings(_ strings: [String]) -> OrderedJSON {
        .array(strings.map { .string($0) })
    }

    /// The value in one line, without spaces between its parts.
    package var line: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value with two spaces for each level, ending with a line feed.
    package var page: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .string(let string): Self.write(string, to: &text)
        case .integer(let integer): text += String(integer)
        case .boolean(let boolean): text += boolean ? "true" : "false"
        case .null: text += "null"
        case .array(let values):
            Self.write(values, between: "[", "]", to: &text, indent: indent) { value, text, indent in
                value.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.write(members, between: "{", "}", to: &text, indent: indent) { member, text, indent in
                Self.write(member.name, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between start: String,
        _ end: String,
        to text: inout String,
        indent: Int?,
        each: (Element, inout String, Int?) -> Void
    ) {
        text += start
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: " ", count: indent + 2) }
            each(element, &text, indent.map { $0 + 2 })
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
        text += end
    }

    /// Writes a string with quotes. Escapes what RFC 8259 demands, and the line ends of JavaScript.
    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ", "\u{7f}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
