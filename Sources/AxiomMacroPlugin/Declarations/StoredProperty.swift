// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax

/// The attributes that mark the properties of a component.
enum Marker: String, CaseIterable {
    case capability = "Capability"
    case client = "Client"
    case downstream = "Downstream"
    case observes = "Observes"
}

/// A stored property of an instance.
struct StoredProperty {
    let declaration: VariableDeclSyntax
    let name: TokenSyntax
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    /// Whether the declaration stands between `#if` and `#endif`.
    let isConditional: Bool

    var text: String { name.text }
    var isLet: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }

    /// The markers and their attributes.
    var markers: [(marker: Marker, attribute: AttributeSyntax)] { declaration.attributes.markers }

    func attribute(_ marker: Marker) -> AttributeSyntax? { declaration.attributes.named(marker.rawValue) }

    /// Whether an initializer has to set it.
    var needsValue: Bool {
        guard initialValue == nil, !isLazy, !hasWrapper else { return false }
        return isLet || !isOptional
    }

    private var isOptional: Bool {
        guard let type else { return false }
        // `Optional<Int>` has no default.
        return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    }

    var isLazy: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) } }

    var isPrivate: Bool {
        declaration.modifiers.contains {
            [.keyword(.private), .keyword(.fileprivate)].contains($0.name.tokenKind) && $0.detail == nil
        }
    }

    /// Whether an attribute may be a property wrapper, which may give the property a value.
    private var hasWrapper: Bool {
        let known =
            Marker.allCases.map(\.rawValue) + ["ObservationIgnored", "ObservationTracked", "available", "Redacted"]
        return declaration.attributes.contains {
            guard let attribute = $0.as(AttributeSyntax.self) else { return false }
            return !known.contains(attribute.baseName)
        }
    }
}

extension AttributeListSyntax {
    var markers: [(marker: Marker, attribute: AttributeSyntax)] {
        compactMap { element in
            guard let attribute = element.as(AttributeSyntax.self), let marker = Marker(rawValue: attribute.baseName)
            else { return nil }
            return (marker, attribute)
        }
    }
}

extension TypeDeclaration {
    var storedProperties: [StoredProperty] {
        members.compactMap { $0.as(VariableDeclSyntax.self) }.filter { !$0.isStatic }.flatMap(\.storedProperties)
    }
}

extension VariableDeclSyntax {
    /// The stored properties of the declaration. A binding without a type has that of the next one: `let a, b: Int`.
    var storedProperties: [StoredProperty] {
        let isConditional = parent?.parent?.parent?.is(IfConfigClauseSyntax.self) ?? false
        var type: TypeSyntax?
        var properties: [StoredProperty] = []
        for binding in bindings.reversed() {
            if binding.initializer != nil || binding.typeAnnotation != nil { type = binding.typeAnnotation?.type }
            guard !binding.isComputed else { continue }
            let isName = binding.pattern.is(IdentifierPatternSyntax.self)
            properties += binding.pattern.names.reversed().map { name in
                StoredProperty(
                    declaration: self,
                    name: name,
                    type: isName ? type : nil,
                    initialValue: binding.initializer?.value,
                    isConditional: isConditional
                )
            }
        }
        return properties.reversed()
    }
}

extension PatternSyntax {
    /// The names that the pattern binds: several in `let (a, b)`.
    fileprivate var names: [TokenSyntax] {
        if let tuple = self.as(TuplePatternSyntax.self) { return tuple.elements.flatMap(\.pattern.names) }
        return self.as(IdentifierPatternSyntax.self).map { [$0.identifier] } ?? []
    }
}

extension PatternBindingSyntax {
    /// Whether it has a getter; `willSet` and `didSet` only observe a stored property.
    var isComputed: Bool {
        guard let accessorBlock else { return false }
        guard case .accessors(let list) = accessorBlock.accessors else { return true }
        return !list.allSatisfy {
            [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
        }
    }
}
#endif
