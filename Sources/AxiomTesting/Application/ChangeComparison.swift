// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// Compares the properties of a context after an event with those that a test expects.
@MainActor
struct ChangeComparison {
    /// The differences of expected properties; nil if they are as expected.
    let mismatch: String?
    /// The differences of properties that the test does not expect; nil if there are none.
    let unexpected: String?
    /// The changed properties for which the test may have assigned another one, each with the remedy.
    let ambiguities: [String]

    /// - Parameters:
    ///   - found: What the test assigns.
    ///   - before: The values before the event.
    ///   - after: The values after the event, without those of other events.
    ///   - changed: The names of the properties that the event changed.
    init<C: Context>(
        _ found: [PropertyNames<C>.Found],
        before: PropertyValues,
        after: PropertyValues,
        changed: [String]
    ) {
        let taken = Set(found.compactMap(\.name))
        mismatch = Difference.text(ofUnequal: found.compactMap { Self.difference(of: $0, after) })
        unexpected = Difference.text(
            ofUnequal: changed.filter { !taken.contains($0) }.map { ($0, before.tree($0), after.tree($0)) }
        )
        ambiguities = found.compactMap { found in
            guard let name = found.name, changed.contains(name) else { return nil }
            let others = found.candidates.filter { other in
                !changed.contains(other) && !taken.contains(other) && found.entry.isMet(after.values[other])
            }
            guard !others.isEmpty else { return nil }
            return """
                \(name) to the value of \(others.joined(separator: ", ")), and what the test assigns may be either.
                Assign each of them: \(([name] + others).joined(separator: ", ")).
                """
        }
    }

    /// The difference of an expected property; nil if it is as expected.
    private static func difference<C: Context>(
        of found: PropertyNames<C>.Found,
        _ after: PropertyValues
    ) -> (label: String?, expected: ValueTree?, actual: ValueTree?)? {
        let (entry, stored) = (found.entry, found.name.flatMap { after.values[$0] })
        guard !entry.isMet(stored) else { return nil }
        let actual = ValueTree(stored ?? entry.actual())
        return (found.name ?? "a property of type \(entry.type)", entry.expected, actual)
    }
}
