// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

extension FactsReader {
    // MARK: Imports

    mutating func note(import node: SourceNode) {
        let path = node.list(.importPathComponentList).map { reading.name($0.token(0)) }
        var fact = Import(
            module: path.first ?? "",
            path: path.joined(separator: "."),
            span: span(node.part(.importPathComponentList), in: node),
            whole: wholeLine(of: reading.span(node))
        )
        fact.attributes = reading.attributeNames(node.list(.attributeList))
        fact.access = node.list(.declModifierList).first?.token(0).map(reading.text) ?? ""
        fact.isConditional = conditions > 0
        facts.imports.append(fact)
    }

    /// The span of a part, or of its owner if the source leaves it out.
    func span(_ part: SourceNode?, in owner: SourceNode) -> FactSpan { reading.span(part ?? owner) }

    // MARK: Types

    mutating func enter(type node: SourceNode, _ kind: Declaration.Kind) {
        let isExtension = kind == .extension
        let named = isExtension ? node.typePart : node.token(1)
        let target = isExtension ? named.map { reading.reference($0) } : nil
        let name = target?.name ?? reading.name(named)
        var fact = Declaration(
            kind: kind,
            name: name,
            scope: frame.scope,
            span: span(named, in: node),
            whole: reading.span(node),
            keyword: span(node.token(0), in: node),
            body: span(node.part(.memberBlock), in: node)
        )
        fact.attributes = attributes(node.list(.attributeList))
        fact.modifiers = modifiers(of: node)
        fact.final = node.list(.declModifierList).first { reading.isKeyword($0.token(0), "final") }.map(withBlanks)
        fact.isConditional = conditions > 0
        fact.target = target
        fact.generics = generics(of: node)
        fact.inherited = inherited(node.part(.inheritanceClause))
        let index = facts.declarations.count
        facts.declarations.append(fact)
        let names = isExtension ? name.split(separator: ".").map(String.init) : [name]
        push(Frame(site: Site(declaration: index), scope: frame.scope + names))
    }

    /// The span of a modifier with the blanks behind it.
    private func withBlanks(_ modifier: SourceNode) -> FactSpan {
        let place = reading.place(of: modifier)
        var end = place.upperBound
        while end < modifier.end, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
        return FactSpan(place.lowerBound, end)
    }

    mutating func note(alias node: SourceNode) {
        let place = reading.span(node)
        var fact = Declaration(
            kind: .alias,
            name: reading.name(node.token(1)),
            scope: frame.scope,
            span: span(node.token(1), in: node),
            whole: place,
            keyword: span(node.token(0), in: node),
            body: place
        )
        fact.target = node.part(.typeInitializerClause)?.typePart.map { reading.reference($0) }
        fact.generics = generics(of: node)
        fact.modifiers = modifiers(of: node)
        fact.isConditional = conditions > 0
        facts.declarations.append(fact)
    }

    mutating func note(associatedType node: SourceNode) {
        guard let owner = site.declaration else { return }
        let bound = node.part(.inheritanceClause)?.list(.inheritedTypeList).first?.typePart
        facts.declarations[owner].associatedTypes.append(
            GenericParameter(name: reading.name(node.token(1)), bound: bound.map { reading.reference($0) })
        )
    }

    mutating func note(enumCases node: SourceNode) {
        guard let owner = site.declaration else { return }
        for element in node.list(.enumCaseElementList) {
            let payload = element.part(.enumCaseParameterClause)?.list(.enumCaseParameterList).compactMap { parameter in
                parameter.typePart.map { reading.reference($0) }
            }
            facts.declarations[owner].cases.append(
                EnumCase(
                    name: reading.name(element.token(0)),
                    span: span(element.token(0), in: element),
                    payload: payload ?? [],
                    isConditional: conditions > 0
                )
            )
        }
    }

    // MARK: Functions

    /// - Parameter name: The name of all functions of the kind; nil for the one in the source.
    mutating func enter(function node: SourceNode, _ kind: Function.Kind, name: String? = nil) {
        let token = node.token(name == nil ? 1 : 0)
        var fact = Function(kind: kind, name: name ?? reading.name(token), span: span(token, in: node))
        fact.declaration = site.declaration
        fact.parent = site.function
        fact.modifiers = modifiers(of: node)
        fact.isOnMainActor = reading.attributeNames(node.list(.attributeList)).contains("MainActor")
        fact.isStatic = fact.modifiers.contains { $0 == "static" || $0 == "class" }
        if let signature = node.part(.functionSignature) { read(signature, &fact) }
        fact.generics = generics(of: node, node.part(.genericWhereClause))
        if let body = node.part(.codeBlock) { read(body: body, &fact) }
        enter(fact)
    }

    private func read(_ signature: SourceNode, _ fact: inout Function) {
        let effects = signature.part(.functionEffectSpecifiers)
        fact.isAsync = effects?.token(0) != nil
        fact.isThrowing = effects?.part(.throwsClause) != nil
        fact.result = signature.part(.returnClause)?.typePart.map { reading.reference($0) }
        let parameters = signature.part(.functionParameterClause)?.list(.functionParameterList)
        fact.parameters = parameters?.map(parameter) ?? []
    }

    private func parameter(_ node: SourceNode) -> Function.Parameter {
        let (first, second) = (node[.parameterName], node[.parameterSecondName])
        let label = reading.name(first)
        return Function.Parameter(
            label: label,
            name: second.map(reading.name) ?? label,
            span: span(second ?? first, in: node),
            type: node.typePart.map { reading.reference($0) }
        )
    }

    private func read(body: SourceNode, _ fact: inout Function) {
        fact.body = reading.span(body)
        guard let item = body.list(.statements).only?[.item], let expression = returnedExpression(item) else { return }
        fact.singleExpression = reading.span(expression)
        fact.isConjunct = isConjunct(expression)
    }

    /// What a statement returns, or the expression that it is.
    private func returnedExpression(_ item: SourceNode) -> SourceNode? {
        if item.kind == .returnStmt { return item[.returned] }
        return item.isExpression ? item : nil
    }

    mutating func enter(accessors node: SourceNode) {
        let binding = ancestor().flatMap { $0.kind == .patternBinding ? $0 : nil }
        let pattern = binding?[.pattern]
        let variable = binding == nil ? nil : ancestor(2).flatMap { $0.kind == .variableDecl ? $0 : nil }
        var fact = Function(
            kind: .accessor,
            name: pattern.map { reading.text($0) } ?? "subscript",
            span: reading.span(pattern ?? node)
        )
        fact.declaration = site.declaration
        fact.parent = site.function
        fact.modifiers = variable.map(modifiers) ?? []
        fact.isStatic = fact.modifiers.contains("static")
        fact.body = reading.span(node)
        enter(fact)
    }

    private mutating func enter(_ fact: Function) {
        let index = facts.functions.count
        facts.functions.append(fact)
        var inner = frame
        inner.site.function = index
        inner.site.closure = nil
        inner.scope.append("$\(fact.span.start)")
        push(inner)
    }

    /// Whether all operators of an expression bind at least as strongly as `&&`, as far as that is known.
    private func isConjunct(_ expression: SourceNode) -> Bool {
        guard expression.kind == .sequenceExpr else { return true }
        let strong: Set = ["&&", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "~=", "+", "-", "*", "/", "%", "??"]
        return expression.list(.sequence).enumerated().allSatisfy { index, element in
            if index.isMultiple(of: 2) { return true }
            guard element.kind == .binaryOperatorExpr, let token = element[.binaryOperator] else { return false }
            return strong.contains(reading.text(token))
        }
    }

    // MARK: Attributes, modifiers, generics

    func attributes(_ list: SourceNode.Children) -> [AttributeFact] {
        list.compactMap { node in
            guard node.kind == .attribute, let name = node.typePart else { return nil }
            var fact = AttributeFact(name: reading.reference(name).name, span: reading.span(node))
            for argument in node.list(.labeledExprList) {
                fact.argumentCount += 1
                if let type = argument[.argument].flatMap(reading.shownType) { fact.types.append(type) }
            }
            return fact
        }
    }

    /// `private(set)` is no restriction of the name, so its detail is kept.
    func modifiers(of node: SourceNode) -> [String] { node.list(.declModifierList).map { reading.text($0) } }

    /// The parameters of a declaration. Of one without a bound, the first requirement `T: Bound` is the bound.
    private func generics(of node: SourceNode, _ requirements: SourceNode? = nil) -> [GenericParameter] {
        guard let clause = node.part(.genericParameterClause) else { return [] }
        return clause.list(.genericParameterList).map { parameter in
            let name = reading.name(parameter[.genericName])
            let bound = parameter.typePart ?? requirements.flatMap { self.bound(of: name, in: $0) }
            return GenericParameter(name: name, bound: bound.map { reading.reference($0) })
        }
    }

    private func bound(of name: String, in clause: SourceNode) -> SourceNode? {
        for element in clause.list(.genericRequirementList) {
            guard let requirement = element.part(.conformanceRequirement),
                let left = requirement[.requiredLeft], reading.reference(left).name == name
            else { continue }
            return requirement[.requiredRight]
        }
        return nil
    }

    func inherited(_ clause: SourceNode?) -> [TypeReference] {
        clause?.list(.inheritedTypeList).compactMap { $0.typePart.map { reading.reference($0) } } ?? []
    }
}
