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
        let coordinator = ContextDeclaration(ComponentDeclaration(type: type, role: .context))
        coordinator.misuses.report(in: context)
        return type.isClass ? coordinator.members : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let coordinator = TypeDeclaration(declaration), coordinator.isClass,
            coordinator.hasAttribute("MainActor"), coordinator.hasAttribute("Observable")
        else { return [] }
        return try coordinator.conformance(to: protocols, of: type)
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
            misuses.append(
                missing("final", .finalMissing, "A context has no subclasses", at: type.keyword, severity: .warning)
            )
        }
        return misuses
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
        component.identity
            + component.initializer(dependencies.resolutions, isValid: dependencies.misuses.isEmpty)
            + observations.members
    }
}
#endif
