// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let stateProtocol = Recipe(
        "state-protocol",
        "Lets the states of clients conform to OwnedState, and the values in them to Hashable."
    ) { project, changes in
        let values = project.values(in: project.states)
        for type in changes.file.types where type.kind != .extension && type.kind != .protocol {
            let conforms = type.inherited(besides: project.declared(in: changes.file.path)).contains("State")
            let isState = project.states.contains(type.name) || (conforms && project.isOld(type.name))
            if isState {
                changes.makeState(type)
            } else if values.contains(type.name) {
                changes.makeHashable(type)
            }
        }
    }

    static let dropStateID = Recipe(
        "drop-state-id",
        "Removes the identifier that the draft asked of each state, if nothing reads it."
    ) { project, changes in
        for type in changes.file.types where project.states.contains(type.name) && type.kind != .extension {
            guard project.dialect(of: changes.file.path) == .draft, !type.inherits("Identifiable"),
                let id = type.variables.first(where: { $0.name == "id" && !$0.isStatic })
            else { continue }
            guard id.value != nil else {
                changes.note(id.node, "\(type.name).id has no initial value: remove it if no logic needs it.")
                continue
            }
            if project.readsStateID {
                changes.note(id.node, "\(type.name).id may be read, so it stays: remove it if no logic needs it.")
            } else {
                changes.remove(id.node)
            }
        }
    }
}

extension Changes {
    fileprivate mutating func makeState(_ type: TypeNode) {
        guard type.kind == .struct || type.kind == .enum else {
            return note(type.keyword, "The state \(type.name) is a \(type.keyword.text): make it a struct of values.")
        }
        if type.inherits("State") {
            replaceInherited(type, "State", with: ["OwnedState"])
        } else {
            conform(type, to: ["OwnedState"])
        }
        for variable in type.variables where variable.isStored && !variable.isStatic {
            guard let names = variable.type?.names, !names.isDisjoint(with: ["Error", "Any", "AnyObject"]) else {
                continue
            }
            note(variable.node, "\(variable.name) is not hashable: keep a value that is, such as a text or a code.")
        }
    }

    fileprivate mutating func makeHashable(_ type: TypeNode) {
        guard type.kind == .struct || type.kind == .enum else {
            return note(type.keyword, "\(type.name) is part of a state and a \(type.keyword.text): make it a struct.")
        }
        guard !type.inherits("OwnedState") else { return }
        conform(type, to: ["Hashable", "Sendable"])
    }
}

extension MigrationFacts {
    /// Whether a type is declared in a file of an old version.
    func isOld(_ name: String) -> Bool { types[name]?.dialect.isOld ?? false }

    /// The types of the project that values of these types consist of, themselves left out.
    func values(in roots: Set<String>) -> Set<String> {
        var seen = roots
        var pending = Array(roots)
        while let name = pending.popLast() {
            guard let type = types[name] else { continue }
            let stored = type.properties.filter(\.isStored)
            let names = stored.reduce(type.payloads) { $0.union($1.typeNames).union([$1.type].compactMap(\.self)) }
            for name in names where isValue(name) && seen.insert(name).inserted {
                pending.append(name)
            }
        }
        return seen.subtracting(roots)
    }

    /// Whether a name is that of one type of the project. Of several with one name, it is not known which one is meant.
    private func isValue(_ name: String) -> Bool {
        guard let type = types[name] else { return false }
        return type.kind != .protocol && type.declarations == 1
    }
}
