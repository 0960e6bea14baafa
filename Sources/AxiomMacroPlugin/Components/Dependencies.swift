// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// What a component stores of other components: what the initializer resolves, and what the architecture forbids.
struct Dependencies {
    private(set) var resolutions: [DependencyResolution] = []
    private(set) var misuses: [Misuse] = []
    /// The names of the clients' types and of the properties that hold them, for `@Observes`.
    private(set) var clients: [(type: String, property: String)] = []
    private let role: ComponentRole

    init(of component: ComponentDeclaration) {
        role = component.role
        for property in component.type.storedProperties { add(property) }
        for variable in component.type.members.compactMap({ $0.as(VariableDeclSyntax.self) }) { check(variable) }
        for function in component.type.members.compactMap({ $0.as(FunctionDeclSyntax.self) }) {
            // The other markers report functions themselves.
            for (marker, attribute) in function.attributes.markers where marker == .observes {
                refuse(marker, attribute)
            }
        }
        let known = Set(resolutions.map(\.property)).union(refused).union(["store"])
        misuses += component.uninitialized(besides: known)
    }

    private var refused: Set<String> = []

    private mutating func add(_ property: StoredProperty) {
        let count = misuses.count
        var isResolved = false
        for (marker, attribute) in property.markers where !refuse(marker, attribute) && marker != .observes {
            if isResolved || property.initialValue != nil {
                let reason = isResolved ? "another marker" : "a value already"
                misuses.append(Misuse(.markerMisplaced, at: attribute.atSign, "'\(property.text)' has \(reason)"))
            } else {
                resolve(property, marker, attribute)
            }
            isResolved = true
        }
        if misuses.count == count, property.markers.isEmpty { judge(property) }
        if misuses.count > count { refused.insert(property.text) }
    }

    /// A marker on a property that is computed or static: no initializer sets it.
    private mutating func check(_ variable: VariableDeclSyntax) {
        guard variable.isStatic || variable.storedProperties.isEmpty else { return }
        for (marker, attribute) in variable.attributes.markers where marker != .observes {
            let text = "'@\(marker.rawValue)' does something only on a stored property of an instance"
            misuses.append(Misuse(.markerMisplaced, at: attribute.atSign, text))
        }
    }

    // MARK: - Rules

    /// Reports a marker that the role does not have.
    @discardableResult
    private mutating func refuse(_ marker: Marker, _ attribute: AttributeSyntax) -> Bool {
        guard let (id, text) = objection(to: marker) else { return false }
        misuses.append(Misuse(id, at: attribute.atSign, text))
        return true
    }

    private func objection(to marker: Marker) -> (MisuseID, String)? {
        switch (role, marker) {
        case (.capability, .capability), (.client, .capability), (.context, .client), (.context, .downstream),
            (.context, .observes):
            nil
        case (.capability, _):
            (.capabilityReachesUp, "A capability depends on capabilities only: it has no '@\(marker.rawValue)'")
        case (.client, .client): (.clientHoldsClient, Self.holdsClient)
        case (.client, _):
            (.clientReachesUp, "A client depends on capabilities only: it has no '@\(marker.rawValue)'")
        case (.context, _): (.contextUsesCapability, Self.usesCapability)
        }
    }

    private static let holdsClient =
        "A client does not hold another client; let the context that needs both use them in turn"
    private static let usesCapability =
        "A context does not use capabilities; give the capability to a client, and use the client"

    /// A property without a marker whose type says what it holds.
    private mutating func judge(_ property: StoredProperty) {
        guard var type = property.type else { return }
        if let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
        let existential = type.existential?.baseName
        let isClient = type.baseName == "ClientOf" || ["Client", "StatelessClient"].contains(existential)
        let isAbove = type.baseName == "Orchestrator" || existential == "Context"
        switch role {
        case .context where type.baseName == "CapabilityRef":
            misuses.append(Misuse(.contextUsesCapability, at: type, Self.usesCapability))
        case .client where isClient:
            misuses.append(Misuse(.clientHoldsClient, at: type, Self.holdsClient))
        case .capability where isClient || isAbove:
            misuses.append(Misuse(.capabilityReachesUp, at: type, "A capability depends on capabilities only"))
        case .client where isAbove:
            misuses.append(Misuse(.clientReachesUp, at: type, "A client depends on capabilities only"))
        default: break
        }
    }

    // MARK: - Resolutions

    private mutating func resolve(_ property: StoredProperty, _ marker: Marker, _ attribute: AttributeSyntax) {
        guard let type = property.type else { return refuseType(property, marker) }
        switch marker {
        case .capability:
            guard type.baseName == "CapabilityRef", let name = type.onlyArgument else {
                return refuseType(property, marker)
            }
            resolve(property, "capability", name)
        case .client:
            let named = attribute.argumentList.first?.expression.metatype
            guard let name = named ?? (type.baseName == "ClientOf" ? type.onlyArgument : nil) else {
                return refuseType(property, marker)
            }
            clients.append((name, property.text))
            resolve(property, "client", name)
        case .downstream:
            guard type.baseName != nil else { return refuseType(property, marker) }
            resolve(property, "context", type.trimmedDescription)
        case .observes: break
        }
    }

    private mutating func resolve(_ property: StoredProperty, _ function: String, _ type: String) {
        let name = type.contains(" ") ? "(\(type))" : type
        resolutions.append(
            DependencyResolution(property: property.text, expression: "try scope.\(function)(\(name).self)")
        )
    }

    private mutating func refuseType(_ property: StoredProperty, _ marker: Marker) {
        let (wrapper, text) =
            switch marker {
            case .capability: ("CapabilityRef", "The type of '@Capability' has to be 'CapabilityRef<…>'")
            case .client:
                (
                    "ClientOf",
                    "The type of '@Client' has to be 'ClientOf<…>', or write '@Client(….self)' with the client"
                )
            default: ("", "The type of '@Downstream' has to be the name of a context")
            }
        var correction: Correction?
        let mayWrap = marker == .capability || property.type?.baseName != nil
        if let type = property.type, !wrapper.isEmpty, mayWrap, !type.is(OptionalTypeSyntax.self) {
            let inner = type.existential.map { "any \($0.trimmedDescription)" } ?? type.trimmedDescription
            correction = .replacing(type, with: TypeSyntax("\(raw: wrapper)<\(raw: inner)>"), "Wrap it in '\(wrapper)'")
        }
        let token = property.type.map { Syntax($0) } ?? Syntax(property.name)
        misuses.append(Misuse(.dependencyType, at: token, text, correction))
    }
}

extension ExprSyntax {
    /// The type before `.self`.
    var metatype: String? {
        guard let access = self.as(MemberAccessExprSyntax.self), access.declName.baseName.text == "self"
        else { return nil }
        return access.base?.trimmedDescription
    }
}
#endif
