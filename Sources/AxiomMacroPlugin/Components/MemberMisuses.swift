// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Members that contradict what a macro writes, as far as the declaration shows it.
extension TypeDeclaration {
    /// Functions, cases and nested types that have a name which the macro uses for something else.
    ///
    /// - Parameters:
    ///   - names: The names of the properties or functions that the macro writes.
    ///   - isStatic: Whether the macro writes them for the type.
    ///   - modules: The modules that the macro writes before names of types. A nested type of such a name hides the module.
    func takenNames(_ names: [String], isStatic: Bool = false, modules: [String] = []) -> [Misuse] {
        let functions = names.flatMap { name in self.functions(name) }.filter { function in
            function.isStatic == isStatic && function.signature.parameterClause.parameters.isEmpty
        }
        let cases = isStatic ? self.cases.filter { names.contains($0.name.plainText) } : []
        let nested = members.compactMap { $0.nameOfType }.filter { modules.contains($0.plainText) }
        let own = functions.map { $0.name } + cases.map { $0.name }
        return own.map { taken($0, "writes '\($0.plainText)' itself") }
            + nested.map { taken($0, "means another '\($0.plainText)'") }
    }

    private func taken(_ name: TokenSyntax, _ reason: String) -> Misuse {
        Misuse(.nameTaken, at: name, "The macro \(reason): choose another name")
    }

    /// What no value for all actors can be: isolated, or not copyable.
    func valueMisuses(_ noun: String) -> [Misuse] {
        var misuses: [Misuse] = []
        if let attribute = syntax.attributes.named("MainActor") {
            misuses.append(
                Misuse(.valueForm, at: attribute.atSign, "\(noun) is used by all actors: it has no '@MainActor'")
            )
        }
        for type in syntax.inheritanceClause?.inheritedTypes ?? []
        where type.type.as(SuppressedTypeSyntax.self)?.type.baseName == "Copyable" {
            misuses.append(Misuse(.valueForm, at: type, "\(noun) is copied: it has no '~Copyable'"))
        }
        return misuses
    }

    /// Functions and properties of the protocol that are less accessible than it and the type.
    ///
    /// - Parameter isNested: Whether another type or an extension, which may be less accessible, contains the type.
    func accessMisuses(of names: Set<String>, isNested: Bool) -> [Misuse] {
        members.compactMap { member in
            if let function = member.as(FunctionDeclSyntax.self) {
                guard names.contains(function.fullName), !function.isStatic, isOnly(function) else { return nil }
                return access(function.modifiers, function.name, function.funcKeyword, isNested)
            }
            guard let variable = member.as(VariableDeclSyntax.self), !variable.isStatic,
                let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier,
                names.contains(name.plainText)
            else { return nil }
            return access(variable.modifiers, name, variable.bindingSpecifier, isNested)
        }
    }

    /// Whether no other function has its name and labels: then one of them may be the accessible one.
    private func isOnly(_ function: FunctionDeclSyntax) -> Bool {
        functions(function.name.plainText).filter { $0.fullName == function.fullName }.count == 1
    }

    private func access(
        _ modifiers: DeclModifierListSyntax,
        _ name: TokenSyntax,
        _ keyword: TokenSyntax,
        _ isNested: Bool
    ) -> Misuse? {
        let levels = ["private", "fileprivate", "internal", "package", "public", "open"]
        let modifier = modifiers.first { levels.contains($0.name.text) && $0.detail == nil }
        let level = modifier?.name.text ?? "internal"
        let own = syntax.modifiers.first { levels.contains($0.name.text) && $0.detail == nil }?.name.text ?? "internal"
        let needed =
            switch own {
            case "private", "fileprivate": "fileprivate"
            default: isNested ? "fileprivate" : own == "open" ? "public" : own
            }
        guard let actual = levels.firstIndex(of: level), let least = levels.firstIndex(of: needed), actual < least
        else { return nil }
        let text = "'\(name.plainText)' has to be as accessible as '\(self.text)', because the framework uses it"
        guard let modifier else {
            let first = modifiers.first?.name ?? keyword
            return Misuse(.memberAccess, at: name, text, .inserting("\(needed) ", before: first, "Add '\(needed)'"))
        }
        let correction =
            access.isEmpty || isNested
            ? Correction.removing(modifier, "Remove '\(level)'")
            : .replacing(modifier.name, with: needed, "Replace '\(level)' with '\(needed)'")
        return Misuse(.memberAccess, at: modifier, text, correction)
    }
}

extension ComponentDeclaration {
    /// Members that contradict the conformance or what the macro writes.
    ///
    /// - Parameters:
    ///   - isNested: Whether another type or an extension contains the component.
    ///   - store: Whether the macro writes a store, its state and its stream.
    func memberMisuses(isNested: Bool, store: Bool = false) -> [Misuse] {
        let names = ["identity"] + (store ? ["store", "state", "stateStream"] : [])
        let access = type.accessMisuses(of: requirements(store: store), isNested: isNested)
        return type.takenNames(names, modules: ["Axiom", "Swift"]) + access + [wrongIdentity].compactMap(\.self)
    }

    /// The names of what the protocol of the role requires.
    private func requirements(store: Bool) -> Set<String> {
        switch role {
        case .capability:
            ["identity", "isAvailable", "degradationLevel", "initialize()", "terminate()", "configure(_:)"]
        case .client where store: ["identity", "process(_:)", "activate()", "deactivate()", "state", "stateStream"]
        case .client: ["identity", "process(_:)", "activate()", "deactivate()"]
        case .context:
            [
                "identity", "handle(_:)", "onAppear()", "onDisappear()", "onBackground()", "onForeground()",
                "recovery(for:)",
            ]
        }
    }

    /// A property that has the name of the identity, and another type or a value.
    private var wrongIdentity: Misuse? {
        guard let binding = type.property("identity")?.bindings.first else { return nil }
        let hasType = binding.typeAnnotation?.type.baseName == "ComponentIdentity"
        guard binding.initializer != nil || !hasType else { return nil }
        return Misuse(
            .nameTaken,
            at: binding.pattern,
            "'identity' is what the scope gives: write 'nonisolated let identity: ComponentIdentity', or nothing"
        )
    }

    /// Whether no member has a name that the macro needs.
    func hasFreeNames(store: Bool = false) -> Bool {
        !memberMisuses(isNested: true, store: store).contains { $0.id == .nameTaken }
    }

    /// What the macro writes if it cannot write its members: an initializer, so that the compiler does not miss one.
    var placeholder: [DeclSyntax] {
        guard type.initializers.isEmpty else { return [] }
        return ["\(raw: type.access)init(_ scope: borrowing Axiom.\(raw: role.scope)) { Swift.fatalError() }"]
    }
}

extension FunctionDeclSyntax {
    /// The name with the labels, such as `process(_:)`.
    fileprivate var fullName: String {
        let labels = signature.parameterClause.parameters.map { $0.firstName.plainText + ":" }
        return "\(name.plainText)(\(labels.joined()))"
    }
}

extension DeclSyntax {
    /// The name of a type that it declares.
    fileprivate var nameOfType: TokenSyntax? {
        if let alias = self.as(TypeAliasDeclSyntax.self) { return alias.name }
        guard let group = asProtocol((any DeclGroupSyntax).self), !group.is(ExtensionDeclSyntax.self) else {
            return nil
        }
        return group.asProtocol((any NamedDeclSyntax).self)?.name
    }
}
#endif
