// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The attributes of properties. They write nothing: the macro of the type reads them, and judges them too.
protocol MarkerMacro: PeerMacro {
    /// The macros whose types have the marker.
    static var owners: [String] { get }
}

extension MarkerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard !declaration.isObservationStorage else { return [] }
        let components = ["AxiomCapability", "AxiomClient", "AxiomContext"]
        let owner = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        guard !components.contains(where: { owner?.attributes.named($0) != nil }) else {
            reportForm(of: declaration, node, in: context)
            return []
        }
        let names = owners.map { "'@\($0)'" }.joined(separator: " or ")
        let text = "'@\(node.baseName)' does something only directly in a type with \(names)"
        Misuse(.markerMisplaced, at: node.atSign, text).report(in: context)
        return []
    }

    /// Reports a marker on another kind of declaration. The macro of the type judges properties.
    private static func reportForm(
        of declaration: some DeclSyntaxProtocol,
        _ node: AttributeSyntax,
        in context: some MacroExpansionContext
    ) {
        let isObserver = node.baseName == Marker.observes.rawValue
        guard !declaration.is(VariableDeclSyntax.self), !(isObserver && declaration.is(FunctionDeclSyntax.self))
        else { return }
        let kinds = isObserver ? "a property or a function" : "a stored property"
        Misuse(.markerMisplaced, at: node.atSign, "'@\(node.baseName)' does something only on \(kinds)").report(
            in: context
        )
    }
}

extension DeclSyntaxProtocol {
    /// Whether `@Observable` wrote the declaration, as the storage of a property: it copies the attributes of that.
    fileprivate var isObservationStorage: Bool {
        guard let variable = self.as(VariableDeclSyntax.self), variable.attributes.named("ObservationIgnored") != nil
        else { return false }
        return variable.storedProperties.allSatisfy { $0.text.hasPrefix("_") }
    }
}

/// `@Capability`: a capability that the initializer resolves.
struct CapabilityMarker: MarkerMacro {
    static let owners = ["AxiomCapability", "AxiomClient"]
}

/// `@Client`: a client that the initializer resolves.
struct ClientMarker: MarkerMacro {
    static let owners = ["AxiomContext"]
}

/// `@Downstream`: a context that the initializer makes.
struct DownstreamMarker: MarkerMacro {
    static let owners = ["AxiomContext"]
}

/// `@Observes`: a member that follows the state of a client.
struct ObservesMarker: MarkerMacro {
    static let owners = ["AxiomContext"]
}
#endif
