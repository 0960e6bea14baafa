// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

extension FactsReader {
    // MARK: Imports

    mutating func note(import node: SourceNode) {
        let path = node.list(.importPath).map { reading.name($0[.importName]) }
        var fact = Import(
            module: path.first ?? "",
            path: path.joined(separator: "."),
            span: span(node[.importPath], in: node),
            whole: wholeLine(of: reading.span(node))
        )
        fact.attributes = reading.attributeNames(node.list(.importAttributes))
        fact.access = node.list(.importModifiers).first?[.modifierName].map(reading.text) ?? ""
        fact.isConditional = conditions > 0
        facts.imports.append(fact)
    }

    /// The span of a part, or of its owner if the source leaves it out.
    func span(_ part: SourceNode?, in owner: SourceNode) -> FactSpan { reading.span(part ?? owner) }

    // MARK: Types

    mutating func enter(_ node: SourceNode, _ parts: TypeParts) {
        let isExtension = parts.kind == .extension
        let target = isExtension ? node[parts.name].map { reading.reference($0) } : nil
        let name = target?.name ?? reading.name(node[parts.name])
        var fact = Declaration(
            kind: parts.kind,
            name: name,
            scope: frame.scope,
            span: span(node[parts.name], in: node),
            whole: reading.span(node),
            keyword: span(node[parts.keyword], in: node),
            body: span(node[parts.members], in: node)
        )
        fact.attributes = attributes(node.list(parts.attributes))
        fact.modifiers = modifiers(node.list(parts.modifiers))
        fact.final = node.list(parts.modifiers).first { reading.isKeyword($0[.modifierName], "final") }.map(withBlanks)
        fact.isConditional = conditions > 0
        fact.target = target
        fact.generics = parts.generics.map { generics(node[$0]) } ?? []
        fact.inherited = inherited(node[parts.inheritance])
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
            name: reading.name(node[.aliasName]),
            scope: frame.scope,
            span: span(node[.aliasName], in: node),
            whole: place,
            keyword: span(node[.aliasKeyword], in: node),
            body: place
        )
        fact.target = node[.aliasInitializer]?[.aliasTarget].map { reading.reference($0) }
        fact.generics = generics(node[.aliasGenerics])
        fact.modifiers = modifiers(node.list(.aliasModifiers))
        fact.isConditional = conditions > 0
        facts.declarations.append(fact)
    }

    mutating func note(associatedType node: SourceNode) {
        guard let owner = site.declaration else { return }
        let bound = node[.associatedInheritance]?.list(.inheritedTypes).first?[.inheritedType]
        facts.declarations[owner].associatedTypes.append(
            GenericParameter(name: reading.name(node[.associatedName]), bound: bound.map { reading.reference($0) })
        )
    }

    mutating func note(enumCases node: SourceNode) {
        guard let owner = site.declaration else { return }
        for element in node.list(.caseElements) {
            let payload = element[.casePayload]?.list(.payloadParameters).compactMap { parameter in
                parameter[.payloadType].map { reading.reference($0) }
            }
            facts.declarations[owner].cases.append(
                EnumCase(
                    name: reading.name(element[.caseName]),
                    span: span(element[.caseName], in: element),
                    payload: payload ?? [],
                    isConditional: conditions > 0
                )
            )
        }
    }

    // MARK: Functions

    mutating func enter(_ node: SourceNode, _ parts: FunctionParts) {
        let nameNode = node[parts.name]
        let name = parts.kind == .function ? reading.name(nameNode) : parts.kind == .deinitializer ? "deinit" : "init"
        var fact = Function(kind: parts.kind, name: name, span: span(nameNode, in: node))
        fact.declaration = site.declaration
        fact.parent = site.function
        fact.modifiers = modifiers(node.list(parts.modifiers))
        fact.isStatic = fact.modifiers.contains { $0 == "static" || $0 == "class" }
        if let signature = parts.signature.flatMap({ node[$0] }) { read(signature, &fact) }
        fact.generics = parts.generics.map { generics(node[$0], parts.requirements.flatMap { node[$0] }) } ?? []
        if let body = node[parts.body] { read(body: body, &fact) }
        enter(fact)
    }

    private func read(_ signature: SourceNode, _ fact: inout Function) {
        let effects = signature[.effects]
        fact.isAsync = effects?[.asyncSpecifier] != nil
        fact.isThrowing = effects?[.throwsClause] != nil
        fact.result = signature[.returnClause]?[.returnType].map { reading.reference($0) }
        fact.parameters =
            (signature[.parameterClause]?.list(.parameters)).map { list in
                list.map { parameter in
                    let first = parameter[.parameterName]
                    let second = parameter[.parameterSecondName]
                    let label = reading.name(first)
                    return Function.Parameter(
                        label: label,
                        name: second.map(reading.name) ?? label,
                        span: span(second ?? first, in: parameter),
                        type: parameter[.parameterType].map { reading.reference($0) }
                    )
                }
            } ?? []
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
        fact.modifiers = variable.map { modifiers($0.list(.variableModifiers)) } ?? []
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
            guard node.kind == .attribute, let name = node[.attributeName] else { return nil }
            var fact = AttributeFact(name: reading.reference(name).name, span: reading.span(node))
            guard let arguments = node[.attributeArguments], arguments.kind == .labeledExprList else { return fact }
            for argument in arguments.children {
                fact.argumentCount += 1
                if let type = argument[.argument].flatMap(reading.shownType) { fact.types.append(type) }
            }
            return fact
        }
    }

    /// `private(set)` is no restriction of the name, so its detail is kept.
    func modifiers(_ list: SourceNode.Children) -> [String] { list.map { reading.text($0) } }

    /// The parameters of a declaration. Of one without a bound, the first requirement `T: Bound` is the bound.
    func generics(_ clause: SourceNode?, _ requirements: SourceNode? = nil) -> [GenericParameter] {
        guard let clause else { return [] }
        return clause.list(.genericParameters).map { parameter in
            let name = reading.name(parameter[.genericName])
            let bound = parameter[.genericBound] ?? requirements.flatMap { self.bound(of: name, in: $0) }
            return GenericParameter(name: name, bound: bound.map { reading.reference($0) })
        }
    }

    private func bound(of name: String, in clause: SourceNode) -> SourceNode? {
        for element in clause.list(.requirements) {
            guard let requirement = element[.requirement], requirement.kind == .conformanceRequirement,
                let left = requirement[.requiredLeft], reading.reference(left).name == name
            else { continue }
            return requirement[.requiredRight]
        }
        return nil
    }

    func inherited(_ clause: SourceNode?) -> [TypeReference] {
        clause?.list(.inheritedTypes).compactMap { $0[.inheritedType].map { reading.reference($0) } } ?? []
    }
}
