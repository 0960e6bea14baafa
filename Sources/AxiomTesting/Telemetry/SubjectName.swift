// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The name under which a telemetry knows the subject of an expectation.
struct SubjectName: Sendable, Hashable {
    /// The component's name if no other type has it, or the name of a breaker or a family.
    let name: String
    /// The name that the component has if another type has the same; nil if the subject is not a type.
    let qualified: String?

    init(_ name: String) {
        (self.name, qualified) = (name, nil)
    }

    init(_ type: Any.Type) {
        name = (type as? any Component.Type)?.componentName ?? String(describing: type)
        // As the orchestrator names types of one name.
        qualified = ComponentNames.qualifiedName(of: type)
    }

    /// The name among those that are known; nil if there is none.
    func resolved(among known: Set<String>) -> String? {
        [qualified, name].compactMap(\.self).first(where: known.contains)
    }
}

/// Finds what somebody may have meant.
enum Nearest {
    /// The candidate with the fewest edits from `text`; of equal ones the first in their order. Nil if there is none.
    static func name(to text: String, among candidates: some Collection<String>) -> String? {
        candidates.sorted().map { ($0, edits($0, text)) }.min { $0.1 < $1.1 }?.0
    }

    /// How many characters must be inserted, deleted or replaced to make one text from the other. Cost: the product of
    /// the lengths; only the first 200 characters count.
    static func edits(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.prefix(200)), Array(second.prefix(200)))
        var row = Array(0...second.count)
        for (i, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let replaced = diagonal + (character == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}
