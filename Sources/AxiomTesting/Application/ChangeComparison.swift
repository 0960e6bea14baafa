// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Compares the properties of a context after an event with those that a test expects.
@MainActor
struct ChangeComparison {
    /// The differences of expected properties; nil if they are as expected.
    private(set) var mismatch: String?
    /// The differences of properties that the test does not expect; nil if there are none.
    private(set) var unexpected: String?

    /// - Parameters:
    ///   - before: The values before the event.
    ///   - after: The values after the event, without those of other events.
    ///   - now: The values of the context.
    ///   - changed: The names of the properties that the event changed.
    init<C: Context>(
        _ entries: [ExpectedProperties<C>.Entry],
        before: PropertyValues,
        after: PropertyValues,
        now: PropertyValues,
        changed: [String]
    ) {
        var taken: Set<String> = []
        var differences: [(label: String?, expected: ValueTree?, actual: ValueTree?)] = []
        for entry in entries {
            let name = Self.name(of: entry, before, now, changed: changed, taken)
            if let name { taken.insert(name) }
            let stored = name.flatMap { after.values[$0] }
            guard !entry.isMet(stored) else { continue }
            let actual = ValueTree(stored ?? entry.actual())
            differences.append((name ?? "a property of type \(entry.type)", entry.expected, actual))
        }
        mismatch = Difference.text(differences)
        unexpected = Difference.text(
            changed.filter { !taken.contains($0) }.map { ($0, before.tree($0), after.tree($0)) }
        )
    }

    /// The name of an expected property: that of a stored value that is equal to what the context returns for it. Of
    /// several, one that changed. Nil for a computed property.
    private static func name<C: Context>(
        of entry: ExpectedProperties<C>.Entry,
        _ before: PropertyValues,
        _ now: PropertyValues,
        changed: [String],
        _ taken: Set<String>
    ) -> String? {
        let names = now.names.filter { name in
            !taken.contains(name) && now.values[name].map(entry.matches) == true
                && before.values[name].map(entry.matchesBefore) == true
        }
        return names.first(where: changed.contains) ?? names.first
    }
}
