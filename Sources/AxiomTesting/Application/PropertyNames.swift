// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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
