// SPDX-License-Identifier: Apache-2.0

/// A value with its parts, as Swift source. Made by reflection (``ValueReader``); the value needs no conformance.
package indirect enum ValueTree: Hashable, Sendable {
    /// A value without parts.
    case leaf(String)
    /// A struct, a tuple, or an enum case: its name, and its parts with their labels.
    case parts(String, [Part])
    /// An ordered collection that is not empty.
    case list([ValueTree])
    /// A set or a dictionary that is not empty: its entries in the order of their texts. The values of a set are nil.
    case entries([Entry])

    package struct Part: Hashable, Sendable {
        package let label: String?
        package let value: ValueTree
    }

    package struct Entry: Hashable, Sendable {
        package let key: ValueTree
        package let value: ValueTree?
    }

    /// The tree of a value, for comparisons that people read.
    package init(_ value: Any) {
        var reader = ValueReader(.comparison)
        self = reader.read(value)
    }

    /// What stands before the children and after them.
    package var brackets: (open: String, close: String) {
        switch self {
        case .leaf(let text): (text, "")
        case .parts(let name, _): (name + "(", ")")
        case .list, .entries: ("[", "]")
        }
    }

    /// The parts, elements, or values of entries, with what stands before each.
    package var children: [(prefix: String, tree: ValueTree)] {
        switch self {
        case .leaf: []
        case .parts(_, let parts): parts.map { ($0.label.map { "\($0): " } ?? "", $0.value) }
        case .list(let elements): elements.map { ("", $0) }
        case .entries(let entries): entries.map { ($0.prefix, $0.tree) }
        }
    }

    package var line: String {
        brackets.open + children.map { $0.prefix + $0.tree.line }.joined(separator: ", ") + brackets.close
    }

    /// The text of the part that identifies an element of a collection; nil without a part named `id`.
    package var identity: String? {
        guard case .parts(_, let parts) = self else { return nil }
        return parts.first { $0.label == "id" }?.value.line
    }
}

extension ValueTree.Entry {
    /// The key before a value; empty in a set.
    package var prefix: String { value == nil ? "" : key.line + ": " }
    /// The value, or the element of a set.
    package var tree: ValueTree { value ?? key }
}
