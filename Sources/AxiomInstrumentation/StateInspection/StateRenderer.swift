// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// Makes trees of states by reflection.
///
/// Reflection and descriptions run code of the application, so it must not be used under a lock or on an action's
/// thread. Values of a ``RedactedState`` are not read. Objects are not opened: a lock or an actor may guard their
/// properties, and reflection would ignore that. So a state cannot contain a cycle. Descriptions are used for known types
/// only, because that of an application's type may contain what a property hides.
package struct StateRenderer {
    /// The bounds of one rendering.
    package struct Limits: Sendable {
        /// How deep values are opened.
        package var depth = 10
        /// The most children of one value.
        package var children = 1_000
        /// The most bytes of one text.
        package var text = 1_024
        /// About the most bytes of all names and texts.
        package var total = 256 << 10
    }

    /// A dictionary or set with more entries is not sorted as a whole; the first ones that it yields are.
    private static let sortLimit = 10_000
    private static let nameLimit = 100
    /// What a node takes besides its texts.
    private static let nodeBytes = 16

    private let limits: Limits
    private var remaining: Int

    package static func tree(of state: Any, _ limits: Limits = Limits()) -> StateTree {
        var renderer = StateRenderer(limits: limits, remaining: limits.total)
        return renderer.render(state, depth: 0)
    }

    private init(limits: Limits, remaining: Int) {
        (self.limits, self.remaining) = (limits, remaining)
    }

    private mutating func render(_ value: Any, depth: Int) -> StateTree {
        if value is any RedactedState { return leaf(RedactedText.text) }
        if let text = KnownText.text(of: value, limits.text) { return leaf(text) }
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            return render(hashable.base, depth: depth)
        }
        let type = String(describing: type(of: value)).cut(Self.nameLimit)
        if Swift.type(of: value) is AnyClass { return leaf(type + " object") }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let some = mirror.children.first else { return leaf("nil") }
            return render(some.value, depth: depth)
        }
        guard let first = mirror.children.first else { return empty(value, type, mirror) }
        if depth >= limits.depth { return leaf(StateTree.rest) }
        switch mirror.displayStyle {
        case .collection: return list(mirror, type, depth)
        case .dictionary: return keyed(entries(mirror, depth), type, count: mirror.children.count)
        case .set: return keyed(elements(mirror, depth), type, count: mirror.children.count)
        case .enum: return payload(first, type, depth)
        default: return fields(mirror, type, depth)
        }
    }

    private mutating func leaf(_ text: String) -> StateTree {
        let text = text.cut(limits.text)
        remaining -= text.utf8.count + Self.nodeBytes
        return StateTree(leaf: text)
    }

    /// A value without children. Only an enum's text is that of its case.
    private mutating func empty(_ value: Any, _ type: String, _ mirror: Mirror) -> StateTree {
        switch mirror.displayStyle {
        case .collection, .set: leaf("[]")
        case .dictionary: leaf("[:]")
        case .enum where !(value is any CustomReflectable): leaf(EnumMetadata.caseName(ofValue: value) ?? type)
        default: leaf(type)
        }
    }

    // MARK: - Children

    private mutating func fields(_ mirror: Mirror, _ type: String, _ depth: Int, text: String = "") -> StateTree {
        let children = take(mirror.children, count: mirror.children.count) { renderer, child, index in
            let name = renderer.name(child.label, of: child.value, index)
            return StateTree.Child(name: name, tree: renderer.render(child.value, depth: depth + 1))
        }
        remaining -= type.utf8.count + text.utf8.count + Self.nodeBytes
        return StateTree(.fields, type: type, text: text, Self.unique(children))
    }

    /// The elements of a tuple are called `.0`, and the storage of a wrapped property `_name`.
    private func name(_ label: String?, of value: Any, _ index: Int) -> String {
        var name = label ?? String(index)
        if name.hasPrefix(".") || (name.hasPrefix("_") && value is any HiddenValue) { name.removeFirst() }
        return name.cut(Self.nameLimit)
    }

    private mutating func payload(_ child: Mirror.Child, _ type: String, _ depth: Int) -> StateTree {
        let name = child.label ?? ""
        let mirror = Mirror(reflecting: child.value)
        if mirror.displayStyle == .tuple, !(child.value is any RedactedState) {
            return fields(mirror, type, depth, text: name)
        }
        let tree = render(child.value, depth: depth + 1)
        remaining -= type.utf8.count + name.utf8.count + Self.nodeBytes
        return StateTree(.fields, type: type, text: name, [StateTree.Child(name: "0", tree: tree)])
    }

    private mutating func list(_ mirror: Mirror, _ type: String, _ depth: Int) -> StateTree {
        let children = take(mirror.children, count: mirror.children.count) { renderer, child, index in
            StateTree.Child(name: String(index), tree: renderer.render(child.value, depth: depth + 1))
        }
        remaining -= type.utf8.count + Self.nodeBytes
        return StateTree(.list, type: type, children)
    }

    /// The entries of a dictionary with the texts of their keys. Those whose key is hidden have one name.
    private mutating func entries(_ mirror: Mirror, _ depth: Int) -> [(String, (inout StateRenderer) -> StateTree)] {
        var hidden = 0
        var entries: [(String, (inout StateRenderer) -> StateTree)] = []
        for entry in mirror.children.prefix(Self.sortLimit) {
            let parts = Array(Mirror(reflecting: entry.value).children)
            guard parts.count == 2 else { continue }
            let (key, value) = (parts[0].value, parts[1].value)
            let name = name(ofKey: key)
            if name.contains(RedactedText.text) {
                hidden += 1
            } else {
                entries.append((name, { $0.render(value, depth: depth + 1) }))
            }
        }
        if hidden > 0 {
            let text = hidden == 1 ? "1 entry" : "\(hidden) entries"
            entries.append((RedactedText.text, { $0.leaf(text) }))
        }
        return entries
    }

    private mutating func elements(_ mirror: Mirror, _ depth: Int) -> [(String, (inout StateRenderer) -> StateTree)] {
        mirror.children.prefix(Self.sortLimit).map { child in
            (name(ofKey: child.value), { $0.render(child.value, depth: depth + 1) })
        }
    }

    private mutating func keyed(
        _ entries: [(String, (inout StateRenderer) -> StateTree)],
        _ type: String,
        count: Int
    ) -> StateTree {
        let sorted = entries.sorted { $0.0 < $1.0 }
        let more = count - sorted.count
        var children = take(sorted, count: sorted.count, more: max(0, more)) { renderer, entry, _ in
            StateTree.Child(name: entry.0, tree: entry.1(&renderer))
        }
        children = Self.unique(children).sorted { Self.precedes($0.name, $1.name) }
        remaining -= type.utf8.count + Self.nodeBytes
        return StateTree(.keyed, type: type, children)
    }

    /// The name of the last child is the greatest.
    private static func precedes(_ name: String, _ other: String) -> Bool {
        if name == StateTree.rest || other == StateTree.rest { return name != StateTree.rest }
        return name < other
    }

    /// The name of an entry. It has limits of its own, so that it is the same in every rendering.
    private func name(ofKey value: Any) -> String {
        if let text = value as? String, text != StateTree.rest { return text.cut(Self.nameLimit) }
        var limits = limits
        limits.depth = 3
        limits.total = 1_024
        return StateRenderer.tree(of: value, limits).line(Self.nameLimit)
    }

    /// The children that fit, and how many do not.
    private mutating func take<S: Sequence>(
        _ children: S,
        count: Int,
        more: Int = 0,
        _ render: (inout StateRenderer, S.Element, Int) -> StateTree.Child
    ) -> [StateTree.Child] {
        var taken: [StateTree.Child] = []
        for child in children.prefix(limits.children) {
            guard remaining > 0 else { break }
            let rendered = render(&self, child, taken.count)
            remaining -= rendered.name.utf8.count
            taken.append(rendered)
        }
        let left = count - taken.count + more
        if left > 0 {
            taken.append(StateTree.Child(name: StateTree.rest, tree: leaf("and \(Self.grouped(left)) more")))
        }
        return taken
    }

    /// The digits of a number in groups of three.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
            text.append(digit.element)
        }
    }

    /// The children with names that differ, in the same order: the second `a` is called `a #2`.
    private static func unique(_ children: [StateTree.Child]) -> [StateTree.Child] {
        var seen: [String: Int] = [:]
        return children.map { child in
            let count = seen[child.name, default: 0] + 1
            seen[child.name] = count
            return count == 1 ? child : StateTree.Child(name: "\(child.name) #\(count)", tree: child.tree)
        }
    }
}

/// The texts of types whose descriptions are known.
private enum KnownText {
    static func text(of value: Any, _ limit: Int) -> String? {
        switch value {
        case let text as String: quoted(text, limit)
        case let text as Substring: quoted(String(text.prefix(limit)), limit)
        case let character as Character: quoted(String(character), limit)
        case is Bool, is Int, is UInt, is Double, is Float, is Int8, is Int16, is Int32, is Int64, is UInt8, is UInt16,
            is UInt32, is UInt64, is Duration, is UUID, is Decimal, is URL:
            String(describing: value)
        case let date as Date: date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case let data as Data: "\(data.count) bytes"
        default: nil
        }
    }

    private static func quoted(_ text: String, _ limit: Int) -> String {
        "\"" + text.cut(limit - 2) + "\""
    }
}
