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
