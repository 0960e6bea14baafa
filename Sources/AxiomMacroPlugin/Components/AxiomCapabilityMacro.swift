// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@AxiomCapability`: the identity, the initializer that resolves the properties marked with `@Capability`, and the
/// conformance to `Capability`.
struct AxiomCapabilityMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = TypeDeclaration(declaration) else { return [] }
        let component = ComponentDeclaration(type: type, role: .capability)
        guard component.isLocalActor else { return [] }
        guard component.hasFreeNames() else { return component.placeholder }
        let dependencies = Dependencies(of: component)
        return component.identity
            + component.initializer(dependencies.resolutions, isValid: dependencies.misuses.isEmpty)
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = TypeDeclaration(declaration) else { return [] }
        let component = ComponentDeclaration(type: declaration, role: .capability)
        guard component.isLocalActor else {
            component.notAnActor(.capabilityNotActor).report(in: context)
            return []
        }
        let members = component.memberMisuses(isNested: context.isNested)
        (members + Dependencies(of: component).misuses + component.initializerMisuses).report(in: context)
        return members.isEmpty ? try declaration.conformance(to: protocols, of: type) : []
    }
}

extension ComponentDeclaration {
    /// Whether it is an actor of this process.
    var isLocalActor: Bool { type.isActor && type.modifier(.distributed) == nil }

    /// A capability or a client that is something else than an actor of this process.
    func notAnActor(_ id: MisuseID) -> Misuse {
        if let modifier = type.modifier(.distributed) {
            return Misuse(
                id,
                at: modifier,
                "\(role.noun) is an actor of this process, not a distributed one",
                .removing(modifier, "Remove 'distributed'")
            )
        }
        return Misuse(
            id,
            at: type.keyword,
            "\(role.noun) is an actor: its work runs beside that of others",
            type.replacingKeyword(with: "actor")
        )
    }
}
#endif
