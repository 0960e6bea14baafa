// SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps what Foundation's loses: the order of members, and numbers as they were written.
package enum JSON: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The number as text, of JSON's grammar.
    case number(String)
    case string(String)
    case array([JSON])
    /// No two members have the same name.
    case object([Member])

    /// What the value is, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The member of an object; nil when there is none or the value is no object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// Whether the value holds no other values.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
