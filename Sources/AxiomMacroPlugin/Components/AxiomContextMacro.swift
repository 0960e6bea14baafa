// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@AxiomContext`: the identity, the initializer that resolves the properties marked with `@Client` and `@Downstream`, the
/// observation that `@Observes` asks for, and the conformance to `Context`.
struct AxiomContextMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = TypeDeclaration(declaration) else { return [] }
        return type.isClass ? ContextDeclaration(ComponentDeclaration(type: type, role: .context)).members : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = TypeDeclaration(declaration) else { return [] }
        let coordinator = ContextDeclaration(ComponentDeclaration(type: declaration, role: .context))
        let members = coordinator.memberMisuses(isNested: context.isNested)
        (coordinator.misuses + members).report(in: context)
        guard declaration.isClass, declaration.hasAttribute("MainActor"), declaration.hasAttribute("Observable"),
            members.isEmpty
        else { return [] }
        return try declaration.conformance(to: protocols, of: type)
    }
}

private struct ContextDeclaration {
    private let component: ComponentDeclaration
    private let dependencies: Dependencies
    private let observations: Observations

    init(_ component: ComponentDeclaration) {
        self.component = component
        dependencies = Dependencies(of: component)
        observations = Observations(in: component.type, of: dependencies.clients)
    }

    private var type: TypeDeclaration { component.type }

    // MARK: - Misuses

    var misuses: [Misuse] {
        guard type.isClass else { return [notAClass] }
        return attributes + dependencies.misuses + component.initializerMisuses + observations.misuses
    }

    func memberMisuses(isNested: Bool) -> [Misuse] {
        guard type.isClass else { return [] }
        return component.memberMisuses(isNested: isNested) + observations.takenNames
    }

    private var notAClass: Misuse {
        Misuse(
            .contextNotClass,
            at: type.keyword,
            "A context is a class: the presentation and the framework share one object",
            .replacing(type.keyword, with: "final class", "Replace '\(type.keyword.text)' with 'final class'")
        )
    }

    private var attributes: [Misuse] {
        var misuses: [Misuse] = []
        if !type.hasAttribute("MainActor") {
            misuses.append(missing("@MainActor", .mainActorMissing, "A context runs on the main actor"))
        }
        if !type.hasAttribute("Observable") {
            misuses.append(missing("@Observable", .observableMissing, "A presentation observes its context"))
        }
        if type.modifier(.final) == nil {
            misuses.append(notFinal)
        }
        return misuses
    }

    /// The word `open` contradicts `final`.
    private var notFinal: Misuse {
        var misuse = missing(
            "final",
            .finalMissing,
            "A context has no subclasses",
            at: type.keyword,
            severity: .warning
        )
        if let open = type.modifier(.open) {
            misuse.correction = .replacing(open.name, with: "public final", "Replace 'open' with 'public final'")
        }
        return misuse
    }

    private func missing(
        _ word: String,
        _ id: MisuseID,
        _ reason: String,
        at token: TokenSyntax? = nil,
        severity: DiagnosticSeverity = .error
    ) -> Misuse {
        Misuse(
            id,
            at: type.name,
            "\(reason): '\(type.text)' has to be '\(word)'",
            severity: severity,
            .inserting("\(word) ", before: token ?? type.firstToken, "Add '\(word)'")
        )
    }

    // MARK: - Members

    var members: [DeclSyntax] {
        guard component.hasFreeNames(), observations.takenNames.isEmpty else { return component.placeholder }
        return component.identity
            + component.initializer(dependencies.resolutions, isValid: dependencies.misuses.isEmpty)
            + observations.members
    }
}
#endif
