// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@AxiomState`: the conformance to `OwnedState`, and the initializer that a public struct does not get from Swift.
struct AxiomStateMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = TypeDeclaration(declaration) else { return [] }
        let state = StateDeclaration(type: type)
        return state.misuses.isEmpty ? state.initializer : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = TypeDeclaration(declaration) else { return [] }
        let state = StateDeclaration(type: declaration)
        state.misuses.report(in: context)
        // A state with a reference is not equatable, as a rule: the conformance would add errors to the one that was reported.
        return state.references.isEmpty ? try declaration.conformance(to: protocols, of: type) : []
    }
}

private struct StateDeclaration {
    let type: TypeDeclaration

    var misuses: [Misuse] {
        references + parameters.misuses
    }

    var references: [Misuse] {
        guard type.isStruct || type.isEnum else { return [reference] }
        return type.valueMisuses("A state") + properties + payloads
    }

    /// A class or an actor. Only a class can become a struct by a word.
    private var reference: Misuse {
        let correction = type.isClass ? type.replacingKeyword(with: "struct") : nil
        return Misuse(
            .stateReference,
            at: type.keyword,
            "A state is a value: '\(type.text)' has to be a struct or an enum",
            correction
        )
    }

    private var properties: [Misuse] {
        let finder = ReferenceFinder(in: type)
        return type.storedProperties.compactMap { property in
            let found =
                property.type.flatMap { finder.reference(in: $0) }
                ?? property.initialValue.flatMap { finder.reference(in: $0) }
            return found.map { Misuse(.stateReference, at: $0.token, problem($0.what)) }
        }
    }

    private var payloads: [Misuse] { type.payloadMisuses(.stateReference, problem) }

    private func problem(_ what: String) -> String {
        "A state holds values only, and \(what) is a reference: a change in it is not published"
    }

    /// Swift writes the initializer of a struct that is not public.
    private var needsInitializer: Bool {
        type.isStruct && !type.access.isEmpty && type.initializers.isEmpty
    }

    private var parameters: (list: [(property: StoredProperty, text: String)], misuses: [Misuse]) {
        guard needsInitializer else { return ([], []) }
        var list: [(StoredProperty, String)] = []
        var misuses: [Misuse] = []
        for property in type.storedProperties where property.isParameter {
            if let hidden = type.hiddenName(in: property) {
                misuses.append(Misuse(.stateMember, at: hidden, hidden.lessAccessible))
            } else if let parameter = property.parameter, !property.isConditional {
                list.append((property, parameter))
            } else {
                misuses.append(Misuse(.stateMember, at: property.name, property.remedy))
            }
        }
        return (list, misuses)
    }

    var initializer: [DeclSyntax] {
        guard needsInitializer else { return [] }
        let list = parameters.list
        let assignments = list.map { "\n    self.\($0.property.text) = \($0.property.text)" }.joined()
        let body = list.isEmpty ? "{}" : "{\(assignments)\n}"
        return ["\(raw: type.access)init(\(raw: list.map(\.text).joined(separator: ", "))) \(raw: body)"]
    }
}

extension StoredProperty {
    /// Whether a memberwise initializer has a parameter for it: not for a constant that has its value, and not for a
    /// private property with a default.
    fileprivate var isParameter: Bool {
        guard !isLazy else { return false }
        return initialValue == nil || (!isLet && !isPrivate)
    }

    /// The parameter, or nil if the type is not known.
    fileprivate var parameter: String? {
        guard text != "`self`", let type = type?.trimmedDescription ?? initialValue?.literalType else { return nil }
        let value = initialValue?.trimmedDescription ?? (isOptionalVariable ? "nil" : nil)
        return "\(text): \(type)\(value.map { " = \($0)" } ?? "")"
    }

    private var isOptionalVariable: Bool { !isLet && (type?.is(OptionalTypeSyntax.self) ?? false) }

    fileprivate var remedy: String {
        isConditional
            ? "Write the initializer of the state by hand: '\(text)' exists under a condition only"
            : "The initializer needs the type of '\(text)': a macro does not see what Swift infers"
    }
}

extension TypeDeclaration {
    /// A name in the type or in the default of a parameter that belongs to the declaration and is less accessible than it.
    fileprivate func hiddenName(in property: StoredProperty) -> TokenSyntax? {
        let hidden = Set(members.filter { !$0.isAs(accessible: access) }.flatMap(\.namesOfType))
        let nodes = [property.type.map { Syntax($0) }, property.initialValue.map { Syntax($0) }].compactMap(\.self)
        return nodes.flatMap { $0.tokens(viewMode: .sourceAccurate) }.first { token in
            let isMember = token.previousToken(viewMode: .sourceAccurate)?.tokenKind == .period
            let base = token.previousToken(viewMode: .sourceAccurate)?.previousToken(viewMode: .sourceAccurate)
            return hidden.contains(token.plainText) && (!isMember || [text, "Self"].contains(base?.plainText))
        }
    }
}

extension TokenSyntax {
    fileprivate var lessAccessible: String {
        "'\(plainText)' is less accessible than the initializer: write the initializer by hand, or make it as accessible"
    }
}

extension DeclSyntax {
    /// Whether the declaration is as accessible as one with this access.
    fileprivate func isAs(accessible access: String) -> Bool {
        let modifiers = asProtocol((any WithModifiersSyntax).self)?.modifiers ?? []
        let words = modifiers.filter { $0.detail == nil }.map(\.name.text)
        return words.contains { $0 == "public" || $0 == "open" || $0 + " " == access }
    }

    /// The names of a nested type, a static function or a static property.
    fileprivate var namesOfType: [String] {
        if let variable = self.as(VariableDeclSyntax.self) {
            guard variable.isStatic else { return [] }
            return variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText }
        }
        if let function = self.as(FunctionDeclSyntax.self) { return function.isStatic ? [function.name.plainText] : [] }
        guard !self.is(MacroExpansionDeclSyntax.self), let named = asProtocol((any NamedDeclSyntax).self) else {
            return []
        }
        return [named.name.plainText]
    }
}

extension ExprSyntax {
    fileprivate var literalType: String? {
        if self.is(IntegerLiteralExprSyntax.self) { return "Swift.Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Swift.Double" }
        if self.is(StringLiteralExprSyntax.self) { return "Swift.String" }
        return self.is(BooleanLiteralExprSyntax.self) ? "Swift.Bool" : nil
    }
}
#endif
