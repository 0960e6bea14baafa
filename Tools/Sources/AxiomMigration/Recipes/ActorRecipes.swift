// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let classToActor = Recipe(
        "class-to-actor",
        "Makes capabilities and clients actors, if they have no superclass of the project and pass no self on."
    ) { project, changes in
        for type in changes.file.types where type.kind == .class && project.isOld(type.name) {
            guard project.capabilities.contains(type.name) || project.clients[type.name] != nil else { continue }
            changes.makeActor(type, in: project)
        }
    }

    static let statefulClientProtocol = Recipe(
        "stateful-client-protocol",
        "Renames the protocols and base classes of clients, capabilities and contexts."
    ) { project, changes in
        for type in changes.file.types where type.kind != .protocol && project.isOld(type.name) {
            changes.renameProtocols(of: type, in: project)
        }
        changes.noteSkippedTypes(project)
    }
}

extension Changes {
    /// The base classes of old versions, which an actor does without.
    private static let bases: Set<String> = ["BaseClient", "BaseCapability"]

    fileprivate mutating func makeActor(_ type: TypeNode, in project: MigrationFacts) {
        if let reason = obstacle(to: type, in: project) {
            return note(type.keyword, "\(type.name) stays a class: \(reason).")
        }
        for modifier in type.modifiers where ["final", "open"].contains(modifier.name.text) {
            if modifier.name.text == "open" { rename(modifier, to: "public") } else { removeWord(modifier) }
        }
        rename(type.keyword, to: "actor")
        if type.inherits("ObservableObject") { replaceInherited(type, "ObservableObject", with: []) }
        let calls = type.node.all(FunctionCallExprSyntax.self)
        for call in calls
        where call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.is(SuperExprSyntax.self) ?? false {
            replaceSuper(call, in: type)
        }
        for member in type.members {
            let modifiers = member.asProtocol((any WithModifiersSyntax).self)?.modifiers ?? []
            for modifier in modifiers where ["override", "final", "convenience", "open"].contains(modifier.name.text) {
                if modifier.name.text == "open" { rename(modifier, to: "public") } else { removeWord(modifier) }
            }
        }
        keepAvailability(of: type)
    }

    private func obstacle(to type: TypeNode, in project: MigrationFacts) -> String? {
        let framework = FrameworkBases.all.intersection(type.inherited(besides: project.declared(in: file.path)))
        if let base = type.inherited.first(where: {
            project.types[$0.name]?.kind == .class && !framework.contains($0.name)
        })?.name {
            return "it inherits from \(base), and an actor cannot inherit"
        }
        if let child = project.types.values.first(where: { $0.kind == .class && $0.inherited.contains(type.name) }) {
            return "\(child.name) inherits from it; declare what both do in a protocol, and let both conform"
        }
        if let word = type.node.all(DeclReferenceExprSyntax.self).first(where: {
            $0.baseName.text == "self" && escapes($0)
        }) {
            return "line \(file.line(of: word)) passes self on"
        }
        return nil
    }

    /// Whether `self` is an argument or the value of an assignment.
    private func escapes(_ word: DeclReferenceExprSyntax) -> Bool {
        guard let parent = word.parent else { return false }
        if parent.is(LabeledExprSyntax.self) { return parent.enclosing(FunctionCallExprSyntax.self) != nil }
        if let list = parent.as(ExprListSyntax.self) { return list.last?.id == word.id }
        return false
    }

    /// The base class of capabilities kept whether it is available. Calls of its initializer have nothing to do any more.
    private mutating func replaceSuper(_ call: FunctionCallExprSyntax, in type: TypeNode) {
        guard let item = call.statement, let name = call.memberCall?.name else { return }
        let isCapability = type.inherits("BaseCapability")
        switch name {
        case "initialize" where isCapability: replace(item, with: "isAvailable = true")
        case "terminate" where isCapability: replace(item, with: "isAvailable = false")
        // The recipe for initializers reads the initial state.
        case "init" where !call.arguments.isEmpty: break
        default: remove(item)
        }
    }

    private mutating func keepAvailability(of type: TypeNode) {
        guard type.inherits("BaseCapability") else { return }
        for call in type.node.all(FunctionCallExprSyntax.self) {
            guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self),
                name.baseName.text == "setAvailability",
                call.arguments.count == 1, let value = call.arguments.first
            else { continue }
            replace(call, with: "isAvailable = " + value.expression.code)
        }
        if !type.variables.contains(where: { $0.name == "isAvailable" }) {
            addFirst([type.access + "private(set) var isAvailable = false"], to: type)
        }
        if !type.functions.contains(where: { $0.name.text == "initialize" }) {
            add([type.access + "func initialize() async throws {", "    isAvailable = true", "}"], to: type)
        }
    }

    fileprivate mutating func renameProtocols(of type: TypeNode, in project: MigrationFacts) {
        for name in type.inherited(besides: project.declared(in: file.path)) {
            switch name {
            case "StatefulClient", "BaseClient": replaceInherited(type, name, with: ["Client", "Component"])
            case "StatelessClient": replaceInherited(type, name, with: ["StatelessClient", "Component"])
            case "Client" where type.kind == .actor && project.clients[type.name]?.dialect.isOld ?? false:
                replaceInherited(type, name, with: ["Client", "Component"])
            case "ManagedCapability", "BaseCapability": replaceInherited(type, name, with: ["Capability"])
            case "BaseContext", "NavigationContext", "ErrorHandlingContext":
                replaceInherited(type, name, with: ["Context"])
                if name == "NavigationContext" {
                    note(
                        type.keyword,
                        "\(type.name) navigates: use a NavigationFlow of AxiomNavigation.",
                        section: "navigation"
                    )
                }
            default: break
            }
        }
        guard project.clients[type.name] != nil || project.contexts[type.name] != nil else { return }
        for alias in type.members.compactMap({ $0.as(TypeAliasDeclSyntax.self) }) {
            let name = alias.name.text
            guard ["State", "Action", "StateUpdate"].contains(name), !usesType(name, in: type) else { continue }
            remove(alias)
        }
    }

    private func usesType(_ name: String, in type: TypeNode) -> Bool {
        let types = type.node.all(IdentifierTypeSyntax.self).contains { $0.name.text == name }
        return types || type.node.uses(name)
    }
}
