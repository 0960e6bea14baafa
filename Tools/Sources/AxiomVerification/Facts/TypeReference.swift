// SPDX-License-Identifier: Apache-2.0

/// A type as the source names it. What it means depends on the place; see ``ProjectFacts/resolve(_:at:)``.
package struct TypeReference: Sendable, Hashable {
    package enum Form: String, Sendable, Hashable {
        /// `A.B<C>`, and also `[C]`, `[K: V]` and `C?` as `Array`, `Dictionary` and `Optional`.
        case named = "n"
        /// `any P`; the argument is `P`.
        case any = "a"
        /// `some P`; the argument is `P`.
        case some = "s"
        /// The arguments are the parameters and then the result.
        case function = "f"
        case tuple = "t"
        /// `A.Type`; the argument is `A`.
        case metatype = "m"
        /// `A & B`.
        case composition = "c"
        /// What no rule judges, such as `~Copyable` or a pack.
        case other = "o"
    }

    package var form: Form
    /// The path of a named type, with dots and without generic arguments; empty for other forms.
    package var name: String
    package var arguments: [TypeReference]
    /// The names of the type's attributes and specifiers, such as `unchecked`, `escaping` or `borrowing`.
    package var attributes: [String]
    package var span: FactSpan

    package init(
        _ form: Form,
        _ name: String = "",
        _ arguments: [TypeReference] = [],
        attributes: [String] = [],
        at span: FactSpan
    ) {
        self.form = form
        self.name = name
        self.arguments = arguments
        self.attributes = attributes
        self.span = span
    }

    /// The name behind the last dot.
    var lastName: String { name.lastName }

    /// The reference and all references in it, from the outside in.
    package var all: [TypeReference] {
        [self] + arguments.flatMap(\.all)
    }
}

extension String {
    /// What stands behind the last dot.
    var lastName: String {
        utf8.lastIndex(of: UInt8(ascii: ".")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
