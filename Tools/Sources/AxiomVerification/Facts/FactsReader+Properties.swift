// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

extension FactsReader {
    mutating func note(variables node: SourceNode) {
        if ancestor()?.kind == .memberBlockItem, let owner = site.declaration {
            facts.declarations[owner].properties += properties(node)
        } else if site == Site() {
            facts.globals += properties(node)
        } else {
            noteLocals(node)
        }
    }

    private func properties(_ node: SourceNode) -> [Property] {
        // `var a, b: Int` gives the type to both.
        var inheritedType: SourceNode?
        var facts: [Property] = []
        for binding in node.list(.patternBindingList).reversed() {
            inheritedType = binding[.bindingType] ?? (binding[.initializer] == nil ? inheritedType : nil)
            guard let pattern = binding[.pattern], pattern.kind == .identifierPattern, let name = pattern[.patternName]
            else { continue }
            facts.insert(property(node, binding, name, inheritedType?.typePart), at: 0)
        }
        return facts
    }

    private func property(
        _ node: SourceNode,
        _ binding: SourceNode,
        _ name: SourceNode,
        _ type: SourceNode?
    ) -> Property {
        let modifiers = modifiers(of: node)
        let block = binding[.accessorBlock]
        var fact = Property(
            name: reading.name(name),
            span: reading.span(name),
            whole: reading.span(node),
            keyword: span(node.token(0), in: node),
            isVariable: node.token(0).map(reading.text) == "var",
            isStatic: modifiers.contains { $0 == "static" || $0 == "class" },
            isComputed: isComputed(block)
        )
        fact.modifiers = modifiers
        fact.attributes = attributes(node.list(.attributeList))
        fact.type = type.map { reading.reference($0) }
        fact.initial = binding[.initializer]?[.initialValue].map(reading.value)
        fact.accessors = block.map(reading.span)
        if fact.name == "caseIndex" || fact.name == "identifier" { fact.branches = branches(in: block) }
        fact.text = text(binding, block)
        return fact
    }

    /// The string literal that a property has or returns.
    private func text(_ binding: SourceNode, _ block: SourceNode?) -> String? {
        if let value = binding[.initializer]?[.initialValue] { return reading.literal(value) }
        return getterItem(block).flatMap(literal)
    }

    /// The string literal that a statement is or returns.
    private func literal(_ item: SourceNode) -> String? {
        (item.kind == .returnStmt ? item[.returned] : item).flatMap(reading.literal)
    }

    /// The one statement of a getter.
    private func getterItem(_ block: SourceNode?) -> SourceNode? {
        guard let items = block?[.accessors], items.kind == .codeBlockItemList else { return nil }
        return items.children.only?[.item]
    }

    private func isComputed(_ block: SourceNode?) -> Bool {
        guard let accessors = block?[.accessors] else { return block != nil }
        guard accessors.kind == .accessorDeclList else { return true }
        return accessors.children.contains { accessor in
            let word = accessor[.accessorSpecifier]
            return !reading.isText(word, "willSet") && !reading.isText(word, "didSet")
        }
    }

    /// The branches of the one switch of a getter. Empty if the getter is anything else.
    private func branches(in block: SourceNode?) -> [SwitchBranch] {
        guard let node = getterItem(block).flatMap(switchExpression) else { return [] }
        return node.list(.switchCases).compactMap { clause in
            guard clause.kind == .switchCase else { return nil }
            let item = clause.list(.caseStatements).only?[.item]
            let expression = item.flatMap { $0.kind == .returnStmt ? $0[.returned] : $0 }
            let number = expression.flatMap { $0.kind == .integerLiteralExpr ? $0 : nil }
            return SwitchBranch(
                names: caseNames(clause),
                value: number?[.integerLiteral].flatMap { Int(reading.text($0).filter { $0 != "_" }) },
                text: item.flatMap(literal),
                valueSpan: number.map(reading.span),
                span: reading.span(clause)
            )
        }
    }

    private func switchExpression(_ item: SourceNode) -> SourceNode? {
        let expression =
            switch item.kind {
            case .expressionStmt: item[.statementExpression]
            case .returnStmt: item[.returned]
            default: SourceNode?.some(item)
            }
        return expression.flatMap { $0.kind == .switchExpr ? $0 : nil }
    }

    private func caseNames(_ clause: SourceNode) -> [String] {
        guard let label = clause[.caseLabel], label.kind == .switchCaseLabel else { return [] }
        return label.list(.caseItems).compactMap { item in
            var pattern = item[.casePattern]
            if pattern?.kind == .valueBindingPattern { pattern = pattern?[.bindingPattern] }
            guard let pattern, pattern.kind == .expressionPattern else { return nil }
            var expression = pattern[.expressionPattern]
            if expression?.kind == .functionCallExpr { expression = expression?[.callee] }
            guard let expression, expression.kind == .memberAccessExpr else { return nil }
            return reading.name(expression[.member]?[.referenceName])
        }
    }

    // MARK: Variables of functions

    private mutating func noteLocals(_ node: SourceNode) {
        let isWeak = modifiers(of: node).contains { $0 == "weak" || $0.hasPrefix("unowned") }
        for binding in node.list(.patternBindingList) {
            guard let pattern = binding[.pattern] else { continue }
            let name: SourceNode? =
                switch pattern.kind {
                case .identifierPattern: pattern[.patternName]
                case .wildcardPattern: pattern[.wildcard]
                default: nil
                }
            guard let name else { continue }
            noteLocal(name, binding[.bindingType], binding[.initializer])
            if isWeak {
                facts.identities.append(NameUse(name: reading.name(name), span: reading.span(name), site: site))
            }
        }
    }

    mutating func note(optionalBinding node: SourceNode) {
        guard let pattern = node[.optionalPattern], pattern.kind == .identifierPattern, let name = pattern[.patternName]
        else { return }
        noteLocal(name, node[.optionalType], node[.optionalValue])
    }

    mutating func note(loop node: SourceNode) {
        if let pattern = node[.forPattern], pattern.kind == .identifierPattern, let name = pattern[.patternName] {
            noteLocal(name, nil, nil)
        }
        note(awaitKeyword: node[.forAwait])
    }

    mutating func note(awaitKeyword keyword: SourceNode?) {
        guard let keyword else { return }
        facts.awaits.append(NameUse(name: "", span: reading.span(keyword), site: site))
    }

    private mutating func noteLocal(_ name: SourceNode, _ annotation: SourceNode?, _ initializer: SourceNode?) {
        var fact = LocalVariable(name: reading.name(name), span: reading.span(name), site: site)
        fact.type = annotation?.typePart.map { reading.reference($0) }
        if let value = initializer?[.initialValue] {
            fact.value = reading.value(value)
            fact.root = reading.stateRoot(value)
        }
        facts.locals.append(fact)
    }
}
