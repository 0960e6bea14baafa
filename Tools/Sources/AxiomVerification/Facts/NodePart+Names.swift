// SPDX-License-Identifier: Apache-2.0

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
    static let inOut = NodePart(\InOutExprSyntax.expression)
    static let dictionaryContent = NodePart(\DictionaryExprSyntax.content)
    static let dictionaryElementKey = NodePart(\DictionaryElementSyntax.key)
    static let dictionaryElementValue = NodePart(\DictionaryElementSyntax.value)
    static let ternaryValue = NodePart(\UnresolvedTernaryExprSyntax.thenExpression)
    static let sequence = NodePart(\SequenceExprSyntax.elements)
    static let binaryOperator = NodePart(\BinaryOperatorExprSyntax.operator)
    static let literalPounds = NodePart(\StringLiteralExprSyntax.openingPounds)
    static let literalQuote = NodePart(\StringLiteralExprSyntax.openingQuote)
    static let literalSegments = NodePart(\StringLiteralExprSyntax.segments)
    static let integerLiteral = NodePart(\IntegerLiteralExprSyntax.literal)

    // MARK: Closures

    static let closureStatements = NodePart(\ClosureExprSyntax.statements)
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
    static let memberTypeName = NodePart(\MemberTypeSyntax.name)
    static let dictionaryKey = NodePart(\DictionaryTypeSyntax.key)
    static let dictionaryValue = NodePart(\DictionaryTypeSyntax.value)
    static let someOrAny = NodePart(\SomeOrAnyTypeSyntax.someOrAnySpecifier)

    // MARK: Declarations

    static let genericName = NodePart(\GenericParameterSyntax.name)
    static let requiredLeft = NodePart(\ConformanceRequirementSyntax.leftType)
    static let requiredRight = NodePart(\ConformanceRequirementSyntax.rightType)
    static let parameterName = NodePart(\FunctionParameterSyntax.firstName)
    static let parameterSecondName = NodePart(\FunctionParameterSyntax.secondName)

    // MARK: Variables and patterns

    static let pattern = NodePart(\PatternBindingSyntax.pattern)
    static let bindingType = NodePart(\PatternBindingSyntax.typeAnnotation)
    static let initializer = NodePart(\PatternBindingSyntax.initializer)
    static let accessorBlock = NodePart(\PatternBindingSyntax.accessorBlock)
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
    static let ifBody = NodePart(\IfExprSyntax.body)
    static let ifElse = NodePart(\IfExprSyntax.elseBody)
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
