// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// A declaration of a type, or an extension.
struct TypeNode {
    /// The last name of the type, without generic arguments.
    let name: String
    let kind: TypeFacts.Kind
    let node: DeclSyntax
    /// `class`, `struct`, `extension` and so on.
    let keyword: TokenSyntax
    /// What stands before the clause of inheritance: the name, or its generic parameters.
    let head: Syntax
    let inheritance: InheritanceClauseSyntax?
    let attributes: AttributeListSyntax
    let modifiers: DeclModifierListSyntax
    let block: MemberBlockSyntax

    init(_ node: ClassDeclSyntax) {
        self.init(node, .class, node.classKeyword, node.name, node.genericParameterClause)
    }

    init(_ node: ActorDeclSyntax) {
        self.init(node, .actor, node.actorKeyword, node.name, node.genericParameterClause)
    }

    init(_ node: StructDeclSyntax) {
        self.init(node, .struct, node.structKeyword, node.name, node.genericParameterClause)
    }

    init(_ node: EnumDeclSyntax) {
        self.init(node, .enum, node.enumKeyword, node.name, node.genericParameterClause)
    }

    init(_ node: ProtocolDeclSyntax) {
        self.init(node, .protocol, node.protocolKeyword, node.name, nil)
    }

    init(_ node: ExtensionDeclSyntax) {
        name = node.extendedType.lastName ?? node.extendedType.trimmedDescription
        kind = .extension
        self.node = DeclSyntax(node)
        keyword = node.extensionKeyword
        head = Syntax(node.extendedType)
        inheritance = node.inheritanceClause
        attributes = node.attributes
        modifiers = node.modifiers
        block = node.memberBlock
    }

    private init(
        _ node: some DeclGroupSyntax,
        _ kind: TypeFacts.Kind,
        _ keyword: TokenSyntax,
        _ name: TokenSyntax,
        _ generics: GenericParameterClauseSyntax?
    ) {
        self.name = name.text
        self.kind = kind
        self.node = DeclSyntax(node)
        self.keyword = keyword
        head = generics.map { Syntax($0) } ?? Syntax(name)
        inheritance = node.inheritanceClause
        attributes = node.attributes
        modifiers = node.modifiers
        block = node.memberBlock
    }

    /// The members, also those inside `#if`.
    var members: [DeclSyntax] { Self.flat(block.members) }

    /// The variables that are stored or computed, one for each declaration of one name.
    var variables: [VariableNode] {
        members.compactMap { $0.as(VariableDeclSyntax.self) }.compactMap(VariableNode.init)
    }

    var functions: [FunctionDeclSyntax] { members.compactMap { $0.as(FunctionDeclSyntax.self) } }

    var initializers: [InitializerDeclSyntax] { members.compactMap { $0.as(InitializerDeclSyntax.self) } }

    func function(_ name: String) -> FunctionDeclSyntax? { functions.first { $0.name.text == name } }

    /// The types that it inherits or conforms to, with the nodes that name them.
    var inherited: [(name: String, node: InheritedTypeSyntax)] {
        (inheritance?.inheritedTypes ?? []).compactMap { type in type.type.lastName.map { ($0, type) } }
    }

    func inherits(_ name: String) -> Bool { inherited.contains { $0.name == name } }

    /// Whether other types may inherit from it, under its plain name.
    var isBaseAtTopLevel: Bool {
        (kind == .protocol || kind == .class) && node.enclosing(MemberBlockSyntax.self) == nil
            && node.enclosing(CodeBlockSyntax.self) == nil
    }

    /// What makes a witness as visible as its type needs it: `public `, `package ` or nothing.
    var access: String {
        for modifier in modifiers {
            switch modifier.name.text {
            case "public", "open": return "public "
            case "package": return "package "
            default: break
            }
        }
        return ""
    }

    func hasAttribute(_ name: String) -> Bool {
        attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.lastName == name }
    }

    /// Where the declaration begins without its attributes.
    var begin: TokenSyntax { modifiers.firstToken(viewMode: .sourceAccurate) ?? keyword }

    private static func flat(_ items: MemberBlockItemListSyntax) -> [DeclSyntax] {
        items.flatMap { item -> [DeclSyntax] in
            guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
            return condition.clauses.flatMap { clause -> [DeclSyntax] in
                guard case .decls(let items)? = clause.elements else { return [] }
                return flat(items)
            }
        }
    }
}

/// A declaration of one variable.
struct VariableNode {
    let name: String
    let node: VariableDeclSyntax
    let binding: PatternBindingSyntax

    init?(_ node: VariableDeclSyntax) {
        guard node.bindings.count == 1, let binding = node.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        else { return nil }
        self.name = name
        self.node = node
        self.binding = binding
    }

    var type: TypeSyntax? { binding.typeAnnotation?.type }
    var value: ExprSyntax? { binding.initializer?.value }
    var isStored: Bool { binding.accessorBlock == nil }
    var isStatic: Bool { node.modifiers.contains { $0.name.text == "static" || $0.name.text == "class" } }

    func attribute(_ name: String) -> AttributeSyntax? {
        node.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.attributeName.lastName == name }
    }

    /// The name of the type that is annotated, or that the initial value calls.
    var typeName: String? {
        type?.lastName ?? value?.as(FunctionCallExprSyntax.self)?.calledExpression.lastName
    }
}

extension SyntaxProtocol {
    /// The last name of a type or of an expression that names one, without `any`, `?`, attributes and generic arguments.
    var lastName: String? {
        let node = Syntax(self)
        if let type = node.as(IdentifierTypeSyntax.self) { return type.name.text }
        if let type = node.as(MemberTypeSyntax.self) { return type.name.text }
        if let type = node.as(OptionalTypeSyntax.self) { return type.wrappedType.lastName }
        if let type = node.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return type.wrappedType.lastName }
        if let type = node.as(SomeOrAnyTypeSyntax.self) { return type.constraint.lastName }
        if let type = node.as(AttributedTypeSyntax.self) { return type.baseType.lastName }
        if let name = node.as(DeclReferenceExprSyntax.self) { return name.baseName.text }
        if let name = node.as(MemberAccessExprSyntax.self) { return name.declName.baseName.text }
        if let name = node.as(GenericSpecializationExprSyntax.self) { return name.expression.lastName }
        return nil
    }
}
