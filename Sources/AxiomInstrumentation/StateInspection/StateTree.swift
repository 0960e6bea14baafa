// SPDX-License-Identifier: Apache-2.0

/// A state as text: a tree whose leaves are values, made by ``StateRenderer``.
package struct StateTree: Sendable, Hashable {
    /// How children are named and ordered.
    package enum Kind: Sendable, Hashable {
        /// A value without children.
        case leaf
        /// Properties, or the payload of an enum, in the order of their declaration.
        case fields
        /// Elements, named by their index.
        case list
        /// The entries of a dictionary or set, in the order of their names.
        case keyed
    }

    /// A part of the state.
    package struct Child: Sendable, Hashable {
        /// Unique among the children.
        package let name: String
        package var tree: StateTree
    }

    package let kind: Kind
    /// The name of the type, without its module; empty for a leaf.
    package let type: String
    /// The value of a leaf, or the case of an enum with a payload.
    package let text: String
    package var children: [Child]

    /// The name of the child that says how many were left out. It is the last one.
    package static let rest = "…"

    package init(_ kind: Kind, type: String, text: String = "", _ children: [Child] = []) {
        (self.kind, self.type, self.text, self.children) = (kind, type, text, children)
    }

    /// A value without children.
    package init(leaf text: String) { self.init(.leaf, type: "", text: text) }

    /// The whole tree in one line, cut off after about `limit` bytes.
    package func line(_ limit: Int = 200) -> String {
        var line = ""
        write(into: &line, limit)
        return line.utf8.count <= limit ? line : line.cut(limit)
    }

    private func write(into line: inout String, _ limit: Int) {
        guard line.utf8.count <= limit else { return }
        switch kind {
        case .leaf: line += text
        case .fields:
            line += (text.isEmpty ? type : text) + "("
            list(into: &line, limit) { $0.name + ": " }
            line += ")"
        case .list:
            line += "["
            list(into: &line, limit) { _ in "" }
            line += "]"
        case .keyed:
            line += "["
            list(into: &line, limit) { $0.name + ": " }
            line += "]"
        }
    }

    private func list(into line: inout String, _ limit: Int, _ prefix: (Child) -> String) {
        for (index, child) in children.enumerated() where line.utf8.count <= limit {
            line += (index == 0 ? "" : ", ") + prefix(child)
            child.tree.write(into: &line, limit)
        }
    }
}

extension String {
    /// The beginning of the text and an ellipsis, in at most `limit` bytes; the text itself if it is not longer.
    func cut(_ limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, limit - 3))
        // Not within a scalar: its later bytes begin with the bits 10.
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}

/// One difference between two states.
package struct StateChange: Sendable, Hashable {
    /// The names of the children from the root to the part that differs; empty for the root.
    package let path: [String]
    /// Nil if the part is new.
    package let before: StateTree?
    /// Nil if the part is gone.
    package let after: StateTree?
}

extension StateTree {
    /// What differs in `next`, in the order of its children; parts that are gone come first. Elements of a list are
    /// compared by their index.
    package func changes(to next: StateTree) -> [StateChange] {
        var changes: [StateChange] = []
        compare(next, at: [], &changes)
        return changes
    }

    private func compare(_ next: StateTree, at path: [String], _ changes: inout [StateChange]) {
        guard isComparable(with: next) else {
            if self != next { changes.append(StateChange(path: path, before: self, after: next)) }
            return
        }
        let before = Dictionary(children.map { ($0.name, $0.tree) }) { first, _ in first }
        let after = Set(next.children.map(\.name))
        for child in children where !after.contains(child.name) {
            changes.append(StateChange(path: path + [child.name], before: child.tree, after: nil))
        }
        for child in next.children {
            if let known = before[child.name] {
                known.compare(child.tree, at: path + [child.name], &changes)
            } else {
                changes.append(StateChange(path: path + [child.name], before: nil, after: child.tree))
            }
        }
    }

    /// Whether the two differ only in their children.
    private func isComparable(with next: StateTree) -> Bool {
        guard kind == next.kind, kind != .leaf, type == next.type, text == next.text else { return false }
        return kind != .fields || children.map(\.name) == next.children.map(\.name)
    }
}
