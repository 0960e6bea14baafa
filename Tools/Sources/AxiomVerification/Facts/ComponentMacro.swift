// SPDX-License-Identifier: Apache-2.0

/// A macro of `AxiomMacros` on a type, and what it makes of the type.
struct ComponentMacro {
    enum Kind: String {
        case state = "AxiomState"
        case action = "AxiomAction"
        case capability = "AxiomCapability"
        case client = "AxiomClient"
        case context = "AxiomContext"
    }

    let kind: Kind
    private let attribute: AttributeFact

    /// Nil for any other attribute.
    init?(_ attribute: AttributeFact) {
        guard let kind = Kind(rawValue: attribute.plainName) else { return nil }
        (self.kind, self.attribute) = (kind, attribute)
    }

    /// The roles of the protocols to which the macro makes the type conform.
    var roles: Roles {
        switch kind {
        case .state: .state
        case .action: .action
        case .capability: [.component, .capability, .reference]
        case .client where attribute.argumentCount == 0: [.component, .client, .reference]
        case .client: [.component, .client, .stateOwner, .reference]
        case .context: [.component, .context, .reference]
        }
    }

    /// The state of a client, if its macro shows the type.
    var state: TypeReference? { kind == .client ? attribute.types.first : nil }
    /// The type of the scope that the initializer gets; nil for values.
    var scope: String? {
        switch kind {
        case .state, .action: nil
        case .capability: "CapabilityScope"
        case .client: "ClientScope"
        case .context: "ContextScope"
        }
    }

    var span: FactSpan { attribute.span }
}

extension AttributeFact {
    /// The name without a module.
    var plainName: String { name.split(separator: ".").last.map(String.init) ?? name }
}

extension Property {
    /// What the initializer that a macro writes resolves for a marked property: the method of the scope, and the type.
    var resolvedByMacro: (method: String, type: TypeReference)? {
        for attribute in attributes {
            switch attribute.plainName {
            case "Capability": return inner(of: "CapabilityRef").map { ("capability", $0) }
            case "Client": return (attribute.types.first ?? inner(of: "ClientOf")).map { ("client", $0) }
            case "Downstream": return type.map { ("context", $0) }
            default: continue
            }
        }
        return nil
    }

    /// `A` of `CapabilityRef<A>`.
    private func inner(of generic: String) -> TypeReference? {
        guard let type, type.form == .named, type.arguments.count == 1,
            type.name == generic || type.name.hasSuffix("." + generic)
        else { return nil }
        return type.arguments.first
    }
}
