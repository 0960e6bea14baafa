// SPDX-License-Identifier: Apache-2.0

@testable import AxiomInstrumentation

extension StateTree {
    /// The tree with changes that ``changes(to:)`` returned. A change that does not fit has no effect.
    func applying(_ changes: [StateChange]) -> StateTree {
        changes.reduce(into: self) { $0.apply($1.path[...], $1.after) }
    }

    private mutating func apply(_ path: ArraySlice<String>, _ after: StateTree?) {
        guard let name = path.first else {
            if let after { self = after }
            return
        }
        let index = children.firstIndex { $0.name == name }
        if path.count > 1 {
            if let index { children[index].tree.apply(path.dropFirst(), after) }
        } else if let index, let after {
            children[index].tree = after
        } else if let index {
            children.remove(at: index)
        } else if let after {
            let child = Child(name: name, tree: after)
            let position = children.firstIndex { precedes(name, $0.name) } ?? children.count
            children.insert(child, at: position)
        }
    }

    private func precedes(_ name: String, _ other: String) -> Bool {
        if name == Self.rest || other == Self.rest { return other == Self.rest && name != Self.rest }
        if kind == .list, let first = Int(name), let second = Int(other) { return first < second }
        return name < other
    }
}
