// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension NodePart {
    // MARK: Imports

    static let importAttributes = NodePart(\ImportDeclSyntax.attributes)
    static let importModifiers = NodePart(\ImportDeclSyntax.modifiers)
    static let importPath = NodePart(\ImportDeclSyntax.path)
    static let importName = NodePart(\ImportPathComponentSyntax.name)

    // MARK: Attributes, modifiers, generics

    static let attributeName = NodePart(\AttributeSyntax.attributeName)
    static let attributeArguments = NodePart(\AttributeSyntax.arguments)
    static let modifierName = NodePart(\DeclModifierSyntax.name)
    static let genericParameters = NodePart(\GenericParameterClauseSyntax.parameters)
    static let genericName = NodePart(\GenericParameterSyntax.name)
    static let genericBound = NodePart(\GenericParameterSyntax.inheritedType)
    static let requirements = NodePart(\GenericWhereClauseSyntax.requirements)
    static let requirement = NodePart(\GenericRequirementSyntax.requirement)
    static let requiredLeft = NodePart(\ConformanceRequirementSyntax.leftType)
    static let requiredRight = NodePart(\ConformanceRequirementSyntax.rightType)
    static let inheritedTypes = NodePart(\InheritanceClauseSyntax.inheritedTypes)
    static let inheritedType = NodePart(\InheritedTypeSyntax.type)

    // MARK: Members of types

    static let aliasModifiers = NodePart(\TypeAliasDeclSyntax.modifiers)
    static let aliasKeyword = NodePart(\TypeAliasDeclSyntax.typealiasKeyword)
    static let aliasName = NodePart(\TypeAliasDeclSyntax.name)
    static let aliasGenerics = NodePart(\TypeAliasDeclSyntax.genericParameterClause)
    static let aliasInitializer = NodePart(\TypeAliasDeclSyntax.initializer)
    static let aliasTarget = NodePart(\TypeInitializerClauseSyntax.value)
    static let associatedName = NodePart(\AssociatedTypeDeclSyntax.name)
    static let associatedInheritance = NodePart(\AssociatedTypeDeclSyntax.inheritanceClause)
    static let caseElements = NodePart(\EnumCaseDeclSyntax.elements)
    static let caseName = NodePart(\EnumCaseElementSyntax.name)
    static let casePayload = NodePart(\EnumCaseElementSyntax.parameterClause)
    static let payloadParameters = NodePart(\EnumCaseParameterClauseSyntax.parameters)
    static let payloadType = NodePart(\EnumCaseParameterSyntax.type)

    // MARK: Functions

    static let parameterClause = NodePart(\FunctionSignatureSyntax.parameterClause)
    static let effects = NodePart(\FunctionSignatureSyntax.effectSpecifiers)
    static let returnClause = NodePart(\FunctionSignatureSyntax.returnClause)
    static let asyncSpecifier = NodePart(\FunctionEffectSpecifiersSyntax.asyncSpecifier)
    static let throwsClause = NodePart(\FunctionEffectSpecifiersSyntax.throwsClause)
    static let thrownType = NodePart(\ThrowsClauseSyntax.type)
    static let parameters = NodePart(\FunctionParameterClauseSyntax.parameters)
    static let parameterName = NodePart(\FunctionParameterSyntax.firstName)
    static let parameterSecondName = NodePart(\FunctionParameterSyntax.secondName)
    static let parameterType = NodePart(\FunctionParameterSyntax.type)
}

/// The parts of a declaration with members.
struct TypeParts {
    let kind: Declaration.Kind
    let attributes: NodePart
    let modifiers: NodePart
    let keyword: NodePart
    let name: NodePart
    var generics: NodePart?
    let inheritance: NodePart
    let members: NodePart

    static let `struct` = TypeParts(
        kind: .struct,
        attributes: NodePart(\StructDeclSyntax.attributes),
        modifiers: NodePart(\StructDeclSyntax.modifiers),
        keyword: NodePart(\StructDeclSyntax.structKeyword),
        name: NodePart(\StructDeclSyntax.name),
        generics: NodePart(\StructDeclSyntax.genericParameterClause),
        inheritance: NodePart(\StructDeclSyntax.inheritanceClause),
        members: NodePart(\StructDeclSyntax.memberBlock)
    )
    static let `class` = TypeParts(
        kind: .class,
        attributes: NodePart(\ClassDeclSyntax.attributes),
        modifiers: NodePart(\ClassDeclSyntax.modifiers),
        keyword: NodePart(\ClassDeclSyntax.classKeyword),
        name: NodePart(\ClassDeclSyntax.name),
        generics: NodePart(\ClassDeclSyntax.genericParameterClause),
        inheritance: NodePart(\ClassDeclSyntax.inheritanceClause),
        members: NodePart(\ClassDeclSyntax.memberBlock)
    )
    static let actor = TypeParts(
        kind: .actor,
        attributes: NodePart(\ActorDeclSyntax.attributes),
        modifiers: NodePart(\ActorDeclSyntax.modifiers),
        keyword: NodePart(\ActorDeclSyntax.actorKeyword),
        name: NodePart(\ActorDeclSyntax.name),
        generics: NodePart(\ActorDeclSyntax.genericParameterClause),
        inheritance: NodePart(\ActorDeclSyntax.inheritanceClause),
        members: NodePart(\ActorDeclSyntax.memberBlock)
    )
    static let `enum` = TypeParts(
        kind: .enum,
        attributes: NodePart(\EnumDeclSyntax.attributes),
        modifiers: NodePart(\EnumDeclSyntax.modifiers),
        keyword: NodePart(\EnumDeclSyntax.enumKeyword),
        name: NodePart(\EnumDeclSyntax.name),
        generics: NodePart(\EnumDeclSyntax.genericParameterClause),
        inheritance: NodePart(\EnumDeclSyntax.inheritanceClause),
        members: NodePart(\EnumDeclSyntax.memberBlock)
    )
    static let `protocol` = TypeParts(
        kind: .protocol,
        attributes: NodePart(\ProtocolDeclSyntax.attributes),
        modifiers: NodePart(\ProtocolDeclSyntax.modifiers),
        keyword: NodePart(\ProtocolDeclSyntax.protocolKeyword),
        name: NodePart(\ProtocolDeclSyntax.name),
        inheritance: NodePart(\ProtocolDeclSyntax.inheritanceClause),
        members: NodePart(\ProtocolDeclSyntax.memberBlock)
    )
    static let `extension` = TypeParts(
        kind: .extension,
        attributes: NodePart(\ExtensionDeclSyntax.attributes),
        modifiers: NodePart(\ExtensionDeclSyntax.modifiers),
        keyword: NodePart(\ExtensionDeclSyntax.extensionKeyword),
        name: NodePart(\ExtensionDeclSyntax.extendedType),
        inheritance: NodePart(\ExtensionDeclSyntax.inheritanceClause),
        members: NodePart(\ExtensionDeclSyntax.memberBlock)
    )
}

/// The parts of a declaration with a body.
struct FunctionParts {
    let kind: Function.Kind
    let modifiers: NodePart
    /// The name, or the keyword in its place.
    let name: NodePart
    var generics: NodePart?
    var requirements: NodePart?
    var signature: NodePart?
    let body: NodePart

    static let function = FunctionParts(
        kind: .function,
        modifiers: NodePart(\FunctionDeclSyntax.modifiers),
        name: NodePart(\FunctionDeclSyntax.name),
        generics: NodePart(\FunctionDeclSyntax.genericParameterClause),
        requirements: NodePart(\FunctionDeclSyntax.genericWhereClause),
        signature: NodePart(\FunctionDeclSyntax.signature),
        body: NodePart(\FunctionDeclSyntax.body)
    )
    static let initializer = FunctionParts(
        kind: .initializer,
        modifiers: NodePart(\InitializerDeclSyntax.modifiers),
        name: NodePart(\InitializerDeclSyntax.initKeyword),
        generics: NodePart(\InitializerDeclSyntax.genericParameterClause),
        requirements: NodePart(\InitializerDeclSyntax.genericWhereClause),
        signature: NodePart(\InitializerDeclSyntax.signature),
        body: NodePart(\InitializerDeclSyntax.body)
    )
    static let deinitializer = FunctionParts(
        kind: .deinitializer,
        modifiers: NodePart(\DeinitializerDeclSyntax.modifiers),
        name: NodePart(\DeinitializerDeclSyntax.deinitKeyword),
        body: NodePart(\DeinitializerDeclSyntax.body)
    )
}
