// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import SwiftSyntax

// The parts that facts are read from, by the kind of their node.

extension NodePart {
    // MARK: Expressions

    static let callee = NodePart(\FunctionCallExprSyntax.calledExpression)
    static let arguments = NodePart(\FunctionCallExprSyntax.arguments)
    static let trailingClosure = NodePart(\FunctionCallExprSyntax.trailingClosure)
    static let moreTrailingClosures = NodePart(\FunctionCallExprSyntax.additionalTrailingClosures)
    static let argumentLabel = NodePart(\LabeledExprSyntax.label)
    static let argument = NodePart(\LabeledExprSyntax.expression)
    static let memberBase = NodePart(\MemberAccessExprSyntax.base)
    static let member = NodePart(\MemberAccessExprSyntax.declName)
    static let referenceName = NodePart(\DeclReferenceExprSyntax.baseName)
    static let subscripted = NodePart(\SubscriptCallExprSyntax.calledExpression)
    static let specialized = NodePart(\GenericSpecializationExprSyntax.expression)
    static let specialization = NodePart(\GenericSpecializationExprSyntax.genericArgumentClause)
    static let typeOfExpression = NodePart(\TypeExprSyntax.type)
    static let tupleElements = NodePart(\TupleExprSyntax.elements)
    static let arrayElements = NodePart(\ArrayExprSyntax.elements)
    static let arrayElement = NodePart(\ArrayElementSyntax.expression)
    static let chained = NodePart(\OptionalChainingExprSyntax.expression)
    static let unwrapped = NodePart(\ForceUnwrapExprSyntax.expression)
    static let tryKeyword = NodePart(\TryExprSyntax.tryKeyword)
    static let tryMark = NodePart(\TryExprSyntax.questionOrExclamationMark)
    static let tried = NodePart(\TryExprSyntax.expression)
    static let awaitKeyword = NodePart(\AwaitExprSyntax.awaitKeyword)
    static let awaited = NodePart(\AwaitExprSyntax.expression)
    static let unsafe = NodePart(\UnsafeExprSyntax.expression)
    static let consumed = NodePart(\ConsumeExprSyntax.expression)
    static let copied = NodePart(\CopyExprSyntax.expression)
    static let sequence = NodePart(\SequenceExprSyntax.elements)
    static let binaryOperator = NodePart(\BinaryOperatorExprSyntax.operator)
    static let literalPounds = NodePart(\StringLiteralExprSyntax.openingPounds)
    static let literalQuote = NodePart(\StringLiteralExprSyntax.openingQuote)
    static let literalSegments = NodePart(\StringLiteralExprSyntax.segments)
    static let integerLiteral = NodePart(\IntegerLiteralExprSyntax.literal)

    // MARK: Closures

    static let closureSignature = NodePart(\ClosureExprSyntax.signature)
    static let captureClause = NodePart(\ClosureSignatureSyntax.capture)
    static let captures = NodePart(\ClosureCaptureClauseSyntax.items)
    static let closureParameterClause = NodePart(\ClosureSignatureSyntax.parameterClause)
    static let closureParameters = NodePart(\ClosureParameterClauseSyntax.parameters)
    static let closureParameterName = NodePart(\ClosureParameterSyntax.firstName)
    static let closureParameterSecondName = NodePart(\ClosureParameterSyntax.secondName)
    static let closureParameterType = NodePart(\ClosureParameterSyntax.type)
    static let shorthandParameterName = NodePart(\ClosureShorthandParameterSyntax.name)

    // MARK: Types

    static let typeName = NodePart(\IdentifierTypeSyntax.name)
    static let typeArguments = NodePart(\IdentifierTypeSyntax.genericArgumentClause)
    static let memberTypeBase = NodePart(\MemberTypeSyntax.baseType)
    static let memberTypeName = NodePart(\MemberTypeSyntax.name)
    static let memberTypeArguments = NodePart(\MemberTypeSyntax.genericArgumentClause)
    static let genericArguments = NodePart(\GenericArgumentClauseSyntax.arguments)
    static let genericArgument = NodePart(\GenericArgumentSyntax.argument)
    static let optionalWrapped = NodePart(\OptionalTypeSyntax.wrappedType)
    static let implicitlyWrapped = NodePart(\ImplicitlyUnwrappedOptionalTypeSyntax.wrappedType)
    static let arrayTypeElement = NodePart(\ArrayTypeSyntax.element)
    static let dictionaryKey = NodePart(\DictionaryTypeSyntax.key)
    static let dictionaryValue = NodePart(\DictionaryTypeSyntax.value)
    static let tupleTypeElements = NodePart(\TupleTypeSyntax.elements)
    static let tupleTypeElement = NodePart(\TupleTypeElementSyntax.type)
    static let functionTypeParameters = NodePart(\FunctionTypeSyntax.parameters)
    static let functionTypeReturn = NodePart(\FunctionTypeSyntax.returnClause)
    static let returnType = NodePart(\ReturnClauseSyntax.type)
    static let someOrAny = NodePart(\SomeOrAnyTypeSyntax.someOrAnySpecifier)
    static let constraint = NodePart(\SomeOrAnyTypeSyntax.constraint)
    static let compositionElements = NodePart(\CompositionTypeSyntax.elements)
    static let compositionElement = NodePart(\CompositionTypeElementSyntax.type)
    static let metatypeBase = NodePart(\MetatypeTypeSyntax.baseType)
    static let typeSpecifiers = NodePart(\AttributedTypeSyntax.specifiers)
    static let typeAttributes = NodePart(\AttributedTypeSyntax.attributes)
    static let attributedBase = NodePart(\AttributedTypeSyntax.baseType)

    // MARK: Variables and patterns

    static let variableAttributes = NodePart(\VariableDeclSyntax.attributes)
    static let variableModifiers = NodePart(\VariableDeclSyntax.modifiers)
    static let bindingSpecifier = NodePart(\VariableDeclSyntax.bindingSpecifier)
    static let bindings = NodePart(\VariableDeclSyntax.bindings)
    static let pattern = NodePart(\PatternBindingSyntax.pattern)
    static let bindingType = NodePart(\PatternBindingSyntax.typeAnnotation)
    static let initializer = NodePart(\PatternBindingSyntax.initializer)
    static let accessorBlock = NodePart(\PatternBindingSyntax.accessorBlock)
    static let annotatedType = NodePart(\TypeAnnotationSyntax.type)
    static let initialValue = NodePart(\InitializerClauseSyntax.value)
    static let patternName = NodePart(\IdentifierPatternSyntax.identifier)
    static let wildcard = NodePart(\WildcardPatternSyntax.wildcard)
    static let expressionPattern = NodePart(\ExpressionPatternSyntax.expression)
    static let bindingPattern = NodePart(\ValueBindingPatternSyntax.pattern)
    static let accessors = NodePart(\AccessorBlockSyntax.accessors)
    static let accessorSpecifier = NodePart(\AccessorDeclSyntax.accessorSpecifier)
    static let optionalPattern = NodePart(\OptionalBindingConditionSyntax.pattern)
    static let optionalType = NodePart(\OptionalBindingConditionSyntax.typeAnnotation)
    static let optionalValue = NodePart(\OptionalBindingConditionSyntax.initializer)

    // MARK: Statements

    static let statements = NodePart(\CodeBlockSyntax.statements)
    static let item = NodePart(\CodeBlockItemSyntax.item)
    static let returned = NodePart(\ReturnStmtSyntax.expression)
    static let statementExpression = NodePart(\ExpressionStmtSyntax.expression)
    static let forPattern = NodePart(\ForStmtSyntax.pattern)
    static let forAwait = NodePart(\ForStmtSyntax.awaitKeyword)
    static let catchKeyword = NodePart(\CatchClauseSyntax.catchKeyword)
    static let catchItems = NodePart(\CatchClauseSyntax.catchItems)
    static let catchBody = NodePart(\CatchClauseSyntax.body)
    static let switchCases = NodePart(\SwitchExprSyntax.cases)
    static let caseLabel = NodePart(\SwitchCaseSyntax.label)
    static let caseStatements = NodePart(\SwitchCaseSyntax.statements)
    static let caseItems = NodePart(\SwitchCaseLabelSyntax.caseItems)
    static let casePattern = NodePart(\SwitchCaseItemSyntax.pattern)
}
#endif
