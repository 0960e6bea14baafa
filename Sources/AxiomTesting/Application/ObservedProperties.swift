// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomInstrumentation

/// The observed values of a context at one moment: all stored ones of a type that conforms to `Observable` without the
/// macro. References, such as clients and downstream contexts, are left out.
@MainActor
struct PropertyValues {
    /// The values in the order of their declaration.
    private(set) var names: [String] = []
    private(set) var values: [String: Any] = [:]

    init(of context: any Context) {
        var mirror: Mirror? = Mirror(reflecting: context)
        while let current = mirror {
            // The macro @Observable stores an observed `items` as `_items`, and leaves the rest as it is.
            let isMacro = current.children.contains { $0.label == "_$observationRegistrar" }
            func observed(_ label: String) -> String? {
                guard isMacro else { return label }
                return label.hasPrefix("_") && !label.hasPrefix("_$") ? String(label.dropFirst()) : nil
            }
            for child in current.children {
                guard let label = child.label, let name = observed(label) else { continue }
                let style = Mirror(reflecting: child.value).displayStyle
                guard style != .class, style != .foreignReference, !isReference(child.value) else { continue }
                names.append(name)
                values[name] = child.value
            }
            mirror = current.superclassMirror
        }
    }

    private func isReference(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let wrapped = mirror.children.first?.value else { return false }
        return Mirror(reflecting: wrapped).displayStyle == .class
    }

    func tree(_ name: String) -> ValueTree? { values[name].map { ValueTree($0) } }

    mutating func set(_ name: String, to value: Any?) { values[name] = value }

    /// The names of the values that differ from those before: by `==` if their type has it, or in what reflection shows.
    func changes(since before: PropertyValues) -> [String] {
        names.filter { name in
            if tree(name) != before.tree(name) { return true }
            guard let value = values[name] as? any Equatable, let old = before.values[name] else { return false }
            return value.isUnequal(to: old)
        }
    }
}

extension Equatable {
    /// Whether another value is not equal. False for a value that does not even equal itself, such as one with a NaN.
    fileprivate func isUnequal(to other: Any) -> Bool {
        guard let other = other as? Self else { return true }
        return self != other && equalsItself(self)
    }

    fileprivate var isEqualToItself: Bool { self == self }
}

/// Whether a value equals itself, and each element of a collection does: a collection equals itself without a look at them.
private func equalsItself(_ value: Any) -> Bool {
    if let value = value as? any Equatable, !value.isEqualToItself { return false }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection, .set, .dictionary, .tuple, .optional: return mirror.children.allSatisfy { equalsItself($0.value) }
    default: return true
    }
}

/// A stored value as that of a property; nil if the stored property has another type. The cast alone would take nil of any
/// optional type. Objects may be of a subclass.
private func value<Value>(_ stored: Any, as type: Value.Type) -> Value? {
    guard type is AnyClass || Swift.type(of: stored) == type else { return nil }
    return stored as? Value
}

/// What a test expects of a context's properties after an action or a state. Assign the properties that change:
///
/// ```swift
/// await cart.send(.add(tea)) { $0.items = [tea] }
/// ```
/// A property that is not assigned has to stay as it is, if it is stored in the context. Reading a property returns its
/// value before the change.
@MainActor
@dynamicMemberLookup
public struct ExpectedProperties<C: Context> {
    struct Entry {
        let keyPath: PartialKeyPath<C>
        let expected: ValueTree
        /// The text of the type, if the property has no name.
        let type: String
        /// Whether the property has the expected value, given its stored value, or else as the context returns it.
        let isMet: @MainActor (Any?) -> Bool
        /// Whether a stored value may be that of the property, as the context returns it now.
        let matches: @MainActor (Any) -> Bool
        /// Whether a stored value of before the change may be that of the property.
        let matchesBefore: @MainActor (Any) -> Bool
        let actual: @MainActor () -> Any
    }

    private let context: C
    private let before: PropertyValues
    private let isBefore: Bool
    private(set) var entries: [Entry] = []

    /// - Parameter isBefore: Whether the context has its values of before the change.
    init(_ context: C, before: PropertyValues, isBefore: Bool) {
        (self.context, self.before, self.isBefore) = (context, before, isBefore)
    }

    /// The value of a property: assigned, it is the expected one after the change; read, it is the one before.
    public subscript<Value: Equatable>(dynamicMember keyPath: KeyPath<C, Value>) -> Value {
        get {
            let current = context[keyPath: keyPath]
            guard !isBefore else { return current }
            // Its stored value: of this type and equal now. The value before, if it is unique.
            let now = PropertyValues(of: context)
            let candidates = now.names.filter { now.values[$0].flatMap { value($0, as: Value.self) } == current }
            let old = candidates.compactMap { before.values[$0].flatMap { value($0, as: Value.self) } }
            return old.first.flatMap { first in old.allSatisfy { $0 == first } ? first : nil } ?? current
        }
        set {
            let context = context
            let old: Value? = isBefore ? context[keyPath: keyPath] : nil
            entries.removeAll { $0.keyPath == keyPath }
            entries.append(
                Entry(
                    keyPath: keyPath,
                    expected: ValueTree(newValue),
                    type: "\(Value.self)",
                    isMet: { ($0 as? Value ?? context[keyPath: keyPath]) == newValue },
                    matches: { value($0, as: Value.self) == context[keyPath: keyPath] },
                    matchesBefore: { old == nil || value($0, as: Value.self) == old },
                    actual: { context[keyPath: keyPath] }
                )
            )
        }
    }
}

/// Finds the names of the properties that a test assigns. A key path does not tell its name on Linux, so the stored value
/// tells it: it is equal to what the context returns for the key path.
@MainActor
struct PropertyNames<C: Context> {
    typealias Entry = ExpectedProperties<C>.Entry

    /// What was found for one assigned property.
    struct Found {
        let entry: Entry
        /// Nil for a computed property.
        let name: String?
        /// The names that it may have.
        let candidates: [String]
    }

    /// The names of the key paths for which only one was possible.
    private var known: [PartialKeyPath<C>: String] = [:]

    /// Gives each entry a name of its own. Of several, one that changed.
    ///
    /// - Parameters:
    ///   - before: The values before the event.
    ///   - now: The values of the context.
    ///   - changed: The names of the properties that the event changed.
    mutating func find(
        _ entries: [Entry],
        before: PropertyValues,
        now: PropertyValues,
        changed: [String]
    ) -> [Found] {
        let candidates = entries.map { self.candidates(of: $0, before, now) }
        var names: [Int: String] = [:]
        var taken: Set<String> = []
        // Those with the fewest candidates first, so that the others do not take their names.
        for index in entries.indices.sorted(by: { (candidates[$0].count, $0) < (candidates[$1].count, $1) }) {
            let free = candidates[index].filter { !taken.contains($0) }
            guard let name = free.first(where: changed.contains) ?? free.first else { continue }
            taken.insert(name)
            names[index] = name
            if candidates[index].count == 1 { known[entries[index].keyPath] = name }
        }
        return entries.indices.map { Found(entry: entries[$0], name: names[$0], candidates: candidates[$0]) }
    }

    private func candidates(of entry: Entry, _ before: PropertyValues, _ now: PropertyValues) -> [String] {
        let names = now.names.filter { name in
            now.values[name].map(entry.matches) == true && before.values[name].map(entry.matchesBefore) == true
        }
        guard let name = known[entry.keyPath], names.contains(name) else { return names }
        return [name]
    }
}
