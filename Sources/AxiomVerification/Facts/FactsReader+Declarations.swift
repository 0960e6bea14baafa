// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import SwiftParser
internal import SwiftSyntax

extension FactsReader {
    func declaration(
        _ kind: Declaration.Kind,
        _ name: String,
        _ nameNode: some SyntaxProtocol,
        _ keyword: TokenSyntax,
        _ node: some DeclGroupSyntax
    ) -> Declaration {
        var fact = Declaration(
            kind: kind,
            name: name,
            scope: frame.scope,
            span: reading.span(nameNode),
            whole: reading.span(node),
            keyword: reading.span(keyword),
            body: reading.span(node.memberBlock)
        )
        fact.attributes = attributes(node.attributes)
        fact.modifiers = modifiers(node.modifiers)
        fact.final = node.modifiers.first { $0.name.tokenKind == .keyword(.final) }.map { modifier in
            let place = reading.span(modifier)
            let blanks = modifier.name.trailingTrivia.prefix { $0.isSpaceOrTab }.reduce(0) {
                $0 + $1.sourceLength.utf8Length
            }
            return FactSpan(Int(place.start), Int(place.end) + blanks)
        }
        fact.isConditional = conditions > 0
        return fact
    }

    func enter(
        _ node: some DeclGroupSyntax,
        _ kind: Declaration.Kind,
        _ keyword: TokenSyntax,
        _ nameToken: TokenSyntax,
        _ genericClause: GenericParameterClauseSyntax?,
        _ inheritance: InheritanceClauseSyntax?
    ) -> SyntaxVisitorContinueKind {
        let name = reading.name(nameToken)
        var fact = declaration(kind, name, nameToken, keyword, node)
        fact.generics = generics(genericClause)
        fact.inherited = inherited(inheritance)
        enter(fact, names: [name])
        return .visitChildren
    }

    func enter(_ fact: Declaration, names: [String]) {
        let index = facts.declarations.count
        facts.declarations.append(fact)
        push(Frame(site: Site(declaration: index), scope: frame.scope + names))
    }

    func enter(_ fact: inout Function, _ body: CodeBlockSyntax?) {
        if let body {
            fact.body = reading.span(body)
            if let only = body.statements.first, body.statements.count == 1 {
                let returned = only.item.as(ReturnStmtSyntax.self)?.expression
                if let expression = returned ?? only.item.as(ExprSyntax.self) {
                    fact.singleExpression = reading.span(expression)
                    fact.isConjunct = isConjunct(expression)
                }
            }
        }
        let index = facts.functions.count
        facts.functions.append(fact)
        var inner = frame
        inner.site.function = index
        inner.site.closure = nil
        inner.scope.append("$\(fact.span.start)")
        push(inner)
    }

    /// Whether all operators of an expression bind at least as strongly as `&&`, as far as that is known.
    private func isConjunct(_ expression: ExprSyntax) -> Bool {
        guard let sequence = expression.as(SequenceExprSyntax.self) else { return true }
        let strong: Set = ["&&", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "~=", "+", "-", "*", "/", "%", "??"]
        return sequence.elements.enumerated().allSatisfy { index, element in
            index.isMultiple(of: 2)
                || element.as(BinaryOperatorExprSyntax.self).map { strong.contains($0.operator.text) } ?? false
        }
    }

    func function(
        _ kind: Function.Kind,
        _ name: String,
        _ nameNode: TokenSyntax,
        _ modifierList: DeclModifierListSyntax,
        _ signature: FunctionSignatureSyntax?
    ) -> Function {
        var fact = Function(kind: kind, name: name, span: reading.span(nameNode))
        fact.declaration = site.declaration
        fact.parent = site.function
        fact.modifiers = modifiers(modifierList)
        fact.isStatic = fact.modifiers.contains { $0 == "static" || $0 == "class" }
        guard let signature else { return fact }
        fact.isAsync = signature.effectSpecifiers?.asyncSpecifier != nil
        fact.isThrowing = signature.effectSpecifiers?.throwsClause != nil
        fact.result = signature.returnClause.map { reading.reference($0.type) }
        fact.parameters = signature.parameterClause.parameters.map { parameter in
            let label = reading.name(parameter.firstName)
            return Function.Parameter(
                label: label,
                name: parameter.secondName.map { reading.name($0) } ?? label,
                span: reading.span(parameter.secondName ?? parameter.firstName),
                type: reading.reference(parameter.type)
            )
        }
        return fact
    }

    func attributes(_ list: AttributeListSyntax) -> [AttributeFact] {
        list.compactMap { element in
            element.as(AttributeSyntax.self).map { node in
                var fact = AttributeFact(name: reading.reference(node.attributeName).name, span: reading.span(node))
                let arguments = node.arguments?.as(LabeledExprListSyntax.self)
                fact.argumentCount = arguments?.count ?? 0
                fact.types = arguments?.compactMap { reading.shownType($0.expression) } ?? []
                return fact
            }
        }
    }

    /// `private(set)` is no restriction of the name, so its detail is kept.
    func modifiers(_ list: DeclModifierListSyntax) -> [String] {
        list.map { reading.text($0) }
    }

    /// The parameters of a declaration. Of one without a bound, the first requirement `T: Bound` is the bound.
    func generics(
        _ clause: GenericParameterClauseSyntax?,
        _ requirements: GenericWhereClauseSyntax? = nil
    ) -> [GenericParameter] {
        clause?.parameters.map { parameter in
            let name = reading.name(parameter.name)
            let bounds = requirements?.requirements.lazy.compactMap { element -> TypeSyntax? in
                guard case .conformanceRequirement(let node) = element.requirement,
                    self.reading.reference(node.leftType).name == name
                else { return nil }
                return node.rightType
            }
            let bound = parameter.inheritedType ?? bounds?.first
            return GenericParameter(name: name, bound: bound.map(reading.reference))
        } ?? []
    }

    func inherited(_ clause: InheritanceClauseSyntax?) -> [TypeReference] {
        clause?.inheritedTypes.map { reading.reference($0.type) } ?? []
    }

    func properties(_ node: VariableDeclSyntax) -> [Property] {
        // `var a, b: Int` gives the type to both.
        var inheritedType: TypeAnnotationSyntax?
        var facts: [Property] = []
        for binding in node.bindings.reversed() {
            inheritedType = binding.typeAnnotation ?? (binding.initializer == nil ? inheritedType : nil)
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
            facts.insert(property(node, binding, pattern.identifier, inheritedType?.type), at: 0)
        }
        return facts
    }

    private func property(
        _ node: VariableDeclSyntax,
        _ binding: PatternBindingSyntax,
        _ nameToken: TokenSyntax,
        _ type: TypeSyntax?
    ) -> Property {
        let modifiers = modifiers(node.modifiers)
        var fact = Property(
            name: reading.name(nameToken),
            span: reading.span(nameToken),
            whole: reading.span(node),
            keyword: reading.span(node.bindingSpecifier),
            isVariable: reading.text(node.bindingSpecifier) == "var",
            isStatic: modifiers.contains { $0 == "static" || $0 == "class" },
            isComputed: isComputed(binding.accessorBlock)
        )
        fact.modifiers = modifiers
        fact.attributes = attributes(node.attributes)
        fact.type = type.map(reading.reference)
        fact.initial = binding.initializer.map { reading.value($0.value) }
        fact.accessors = binding.accessorBlock.map { reading.span($0) }
        if fact.name == "caseIndex" || fact.name == "identifier", let block = binding.accessorBlock {
            fact.branches = branches(in: block)
        }
        fact.text = text(binding)
        return fact
    }

    /// The string literal that a property has or returns.
    private func text(_ binding: PatternBindingSyntax) -> String? {
        if let value = binding.initializer?.value { return text(value) }
        guard case .getter(let items)? = binding.accessorBlock?.accessors, items.count == 1 else { return nil }
        return items.first.flatMap { text($0.item) }
    }

    private func text(_ item: CodeBlockItemSyntax.Item) -> String? {
        (item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)).flatMap(text)
    }

    private func text(_ expression: ExprSyntax) -> String? {
        expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    private func isComputed(_ block: AccessorBlockSyntax?) -> Bool {
        guard let block else { return false }
        guard case .accessors(let list) = block.accessors else { return true }
        return list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// The branches of the one switch of a getter. Empty if the getter is anything else.
    private func branches(in block: AccessorBlockSyntax) -> [SwitchBranch] {
        guard case .getter(let items) = block.accessors, items.count == 1, let only = items.first,
            let node = switchExpression(only.item)
        else { return [] }
        return node.cases.compactMap { element in
            guard let clause = element.as(SwitchCaseSyntax.self) else { return nil }
            let literal = integer(clause)
            return SwitchBranch(
                names: caseNames(clause),
                value: literal.flatMap { Int($0.literal.text.filter { $0 != "_" }) },
                text: clause.statements.count == 1 ? clause.statements.first.flatMap { text($0.item) } : nil,
                valueSpan: literal.map { reading.span($0) },
                span: reading.span(clause)
            )
        }
    }

    private func switchExpression(_ item: CodeBlockItemSyntax.Item) -> SwitchExprSyntax? {
        if let statement = item.as(ExpressionStmtSyntax.self) { return statement.expression.as(SwitchExprSyntax.self) }
        return item.as(ReturnStmtSyntax.self)?.expression?.as(SwitchExprSyntax.self) ?? item.as(SwitchExprSyntax.self)
    }

    private func caseNames(_ clause: SwitchCaseSyntax) -> [String] {
        guard case .case(let label) = clause.label else { return [] }
        return label.caseItems.compactMap { item in
            var expression = item.pattern.as(ExpressionPatternSyntax.self)?.expression
            if let call = expression?.as(FunctionCallExprSyntax.self) { expression = call.calledExpression }
            if let binding = item.pattern.as(ValueBindingPatternSyntax.self) {
                expression = binding.pattern.as(ExpressionPatternSyntax.self)?.expression
                if let call = expression?.as(FunctionCallExprSyntax.self) { expression = call.calledExpression }
            }
            return expression?.as(MemberAccessExprSyntax.self).map { reading.name($0.declName.baseName) }
        }
    }

    private func integer(_ clause: SwitchCaseSyntax) -> IntegerLiteralExprSyntax? {
        guard let only = clause.statements.first, clause.statements.count == 1 else { return nil }
        let expression = only.item.as(ReturnStmtSyntax.self)?.expression ?? only.item.as(ExprSyntax.self)
        return expression?.as(IntegerLiteralExprSyntax.self)
    }
}
#endif
