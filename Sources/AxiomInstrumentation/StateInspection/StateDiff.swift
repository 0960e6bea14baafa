// SPDX-License-Identifier: Apache-2.0

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
