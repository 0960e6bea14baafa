// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let importNames = Recipe("import-names", "Imports Axiom in place of a module of an older version.") {
        _,
        changes in
        let imports = changes.file.imports
        var hasAxiom = imports.contains { $0.module == "Axiom" }
        for (module, node) in imports where Dialect.modules[module] != nil || module == "AxiomFramework" {
            guard let name = node.path.first?.name else { continue }
            if hasAxiom { changes.remove(node) } else { changes.rename(name, to: "Axiom") }
            hasAxiom = true
        }
    }

    static let axiomErrorCases = Recipe(
        "axiom-error-cases",
        "Replaces the cases of AxiomError by errors of the families that 1.0 has."
    ) { project, changes in
        guard project.types["AxiomError"] == nil, project.dialect(of: changes.file.path).isOld else { return }
        for call in changes.file.tree.all(FunctionCallExprSyntax.self) { changes.replaceError(call, project) }
        for type in changes.file.tree.all(IdentifierTypeSyntax.self) where type.name.text == "AxiomError" {
            changes.nameErrorProtocol(type)
        }
        for pattern in changes.file.tree.all(SwitchCaseItemSyntax.self) { changes.noteCase(pattern) }
    }

    static let testDoubles = Recipe(
        "test-doubles",
        "Uses the doubles of AxiomTesting in place of protocols of an application's own."
    ) { project, changes in
        for type in changes.file.types {
            if type.kind == .protocol, ["MockCapability", "TestableClient"].contains(type.name) {
                let bases = type.inherited(besides: project.declared(in: changes.file.path))
                guard bases.contains("Capability") || bases.contains("Client") else { continue }
                changes.remove(type.node)
                changes.addImport("AxiomTesting")
            } else if type.inherits("TestableClient"), project.clients[type.name]?.dialect.isOld ?? false {
                for alias in type.members.compactMap({ $0.as(TypeAliasDeclSyntax.self) })
                where alias.name.text == "MockState" {
                    changes.remove(alias)
                }
            } else if type.kind == .class, type.inherited.contains(where: { project.capabilities.contains($0.name) }) {
                changes.note(
                    type.keyword,
                    "\(type.name) inherits from a capability: use a simulated capability of AxiomTesting."
                )
            }
        }
        for call in changes.file.tree.all(FunctionCallExprSyntax.self)
        where call.calledExpression.code == "TestOrchestrator" {
            guard call.arguments.isEmpty, call.trailingClosure == nil else { continue }
            changes.note(
                call,
                "TestOrchestrator of AxiomTesting takes the registrations: try await TestOrchestrator { … }."
            )
        }
    }
}

extension Changes {
    private static let cases: Set<String> = [
        "capabilityUnavailable", "capabilityTimeout", "stateInconsistency", "stateUpdateFailed", "contextNotFound",
        "contextInitializationFailed", "clientActionFailed", "clientNotActivated",
    ]

    fileprivate mutating func replaceError(_ call: FunctionCallExprSyntax, _ project: MigrationFacts) {
        guard let (_, base, name) = call.memberCall, base.lastName == "AxiomError", Self.cases.contains(name) else {
            return
        }
        let arguments = call.arguments.map { $0.expression.code }
        switch name {
        case "capabilityUnavailable" where arguments.count == 1:
            replace(call, with: "CapabilityError.unavailable(\(arguments[0]), because: \"it is not available\")")
        case "contextNotFound" where arguments.count == 1:
            replace(call, with: "NavigationError.unknownRoute(\(arguments[0]))")
        case "clientActionFailed" where arguments.count == 2 && call.parent?.is(ThrowStmtSyntax.self) ?? false:
            // The boundary knows the client and the action.
            replace(call, with: arguments[1])
        case "stateInconsistency" where arguments.count == 1:
            guard let state = stateAround(call, project) else { fallthrough }
            replace(call, with: "StateError.inconsistent(\(state).self, \(arguments[0]))")
        default:
            note(call, "AxiomError.\(name) has no equal: throw an error of your own, or one of the families of Axiom.")
        }
    }

    private func stateAround(_ call: FunctionCallExprSyntax, _ project: MigrationFacts) -> String? {
        guard
            let name = call.enclosing(ActorDeclSyntax.self)?.name.text
                ?? call.enclosing(ClassDeclSyntax.self)?.name.text
        else { return nil }
        return project.clients[name]?.state
    }

    fileprivate mutating func nameErrorProtocol(_ type: IdentifierTypeSyntax) {
        guard let parent = type.parent, !parent.is(SomeOrAnyTypeSyntax.self), !parent.is(InheritedTypeSyntax.self)
        else { return }
        let isOptional = parent.is(OptionalTypeSyntax.self)
        rename(type.name, to: isOptional ? "(any AxiomError)" : "any AxiomError")
    }

    fileprivate mutating func noteCase(_ item: SwitchCaseItemSyntax) {
        guard let name = item.pattern.as(ExpressionPatternSyntax.self)?.expression, let last = name.calledName,
            Self.cases.contains(last)
        else { return }
        note(item, "AxiomError is a protocol: ask for its code, as in error.code == .capabilityUnavailable.")
    }
}

extension ExprSyntax {
    /// The name of a case in a pattern: `.failed` and `.failed(let error)`.
    fileprivate var calledName: String? {
        (self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self).as(MemberAccessExprSyntax.self)?.declName
            .baseName.text
    }
}
