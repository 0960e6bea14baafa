// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import SwiftParser
internal import SwiftSyntax

extension FactsReader {
    // MARK: Variables

    func noteLocals(_ node: VariableDeclSyntax) {
        for binding in node.bindings {
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
            guard let name = name ?? binding.pattern.as(WildcardPatternSyntax.self)?.wildcard else { continue }
            noteLocal(name, binding.typeAnnotation?.type, binding.initializer?.value)
        }
    }

    func noteLocal(_ name: TokenSyntax, _ type: TypeSyntax?, _ value: ExprSyntax?) {
        var fact = LocalVariable(name: reading.name(name), span: reading.span(name), site: site)
        fact.type = type.map(reading.reference)
        fact.value = value.map(reading.value)
        fact.root = value.map(reading.stateRoot) ?? ""
        facts.locals.append(fact)
    }

    // MARK: Calls and closures

    func note(call node: FunctionCallExprSyntax) {
        let callee = reading.path(node.calledExpression)
        let inner = reading.bare(node.calledExpression)
        let last = inner.as(MemberAccessExprSyntax.self).map { Syntax($0.declName.baseName) } ?? Syntax(inner)
        var fact = Call(callee: callee, span: reading.span(last), whole: reading.span(node), site: site)
        fact.made = reading.made(by: node.calledExpression)
        fact.receiver = receiver(of: inner)
        var hasClosures = !node.additionalTrailingClosures.isEmpty
        for argument in node.arguments {
            if argument.expression.is(ClosureExprSyntax.self) { hasClosures = true }
            let label = argument.label.map(reading.name) ?? ""
            fact.labels.append(label)
            fact.arguments.append(reading.names(argument.expression))
            if let text = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
                fact.texts.append(Call.TextArgument(label: label, text: text, span: reading.span(argument.expression)))
            }
            if let access = argument.expression.as(MemberAccessExprSyntax.self),
                reading.text(access.declName.baseName) == "self", let base = access.base,
                let type = reading.type(of: base)
            {
                fact.types.append(Call.TypeArgument(label: label, type: type))
            }
        }
        fact.isDropped = isDropped(ExprSyntax(node))
        fact.block = blocks.last ?? 0
        // Other calls are owners of no closure.
        if node.trailingClosure != nil || isBroken || hasClosures { callIndices[node.id] = facts.calls.count }
        facts.calls.append(fact)
    }

    /// The type of `Type(…).member` and `Type.make().member`, where a static function is taken to make its type.
    private func receiver(of callee: ExprSyntax) -> TypeReference? {
        guard let base = callee.as(MemberAccessExprSyntax.self)?.base,
            let call = reading.bare(base).as(FunctionCallExprSyntax.self)
        else { return nil }
        if let made = reading.made(by: call.calledExpression) { return made }
        return call.calledExpression.as(MemberAccessExprSyntax.self)?.base.flatMap(reading.type(of:))
    }

    /// Whether the result of an expression is not used. False where that depends on types.
    private func isDropped(_ expression: ExprSyntax) -> Bool {
        var node = Syntax(expression)
        while let parent = node.parent, parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self) {
            node = parent
        }
        if let list = node.parent?.as(ExprListSyntax.self), list.parent?.is(SequenceExprSyntax.self) == true {
            return list.first?.is(DiscardAssignmentExprSyntax.self) == true && list.last?.id == node.id
        }
        if let binding = node.parent?.as(InitializerClauseSyntax.self)?.parent?.as(PatternBindingSyntax.self) {
            return binding.pattern.is(WildcardPatternSyntax.self)
        }
        guard let item = node.parent?.as(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        guard list.count == 1, let owner = list.parent else { return true }
        // The only expression of a closure, a getter or a function with a result is what it returns.
        if owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self) { return false }
        let function = owner.parent?.as(FunctionDeclSyntax.self)
        return function?.signature.returnClause == nil
    }

    func enter(closure node: ClosureExprSyntax) {
        var fact = Closure(span: reading.span(node), site: site)
        fact.call = owner(of: node).flatMap { callIndices[$0.id] }
        fact.hasSignature = node.signature != nil
        fact.parameters = parameters(of: node)
        fact.captures =
            node.signature?.capture?.items.map { reading.text($0) }.map { text in
                text.hasSuffix(",") ? String(text.dropLast()) : text
            } ?? []
        let index = facts.closures.count
        facts.closures.append(fact)
        var inner = frame
        inner.site.closure = index
        push(inner)
    }

    private func owner(of node: ClosureExprSyntax) -> FunctionCallExprSyntax? {
        guard let parent = node.parent else { return nil }
        if let call = parent.as(FunctionCallExprSyntax.self) {
            return call.trailingClosure?.id == node.id ? call : nil
        }
        let isArgument = parent.is(LabeledExprSyntax.self) || parent.is(MultipleTrailingClosureElementSyntax.self)
        return isArgument ? parent.parent?.parent?.as(FunctionCallExprSyntax.self) : nil
    }

    private func parameters(of node: ClosureExprSyntax) -> [Closure.ClosureParameter] {
        switch node.signature?.parameterClause {
        case .simpleInput(let list):
            return list.map { .init(name: reading.name($0.name), span: reading.span($0.name), type: nil) }
        case .parameterClause(let clause):
            return clause.parameters.map {
                let token = $0.secondName ?? $0.firstName
                return .init(name: reading.name(token), span: reading.span(token), type: $0.type.map(reading.reference))
            }
        case nil: return []
        }
    }

    // MARK: Names

    func note(name node: DeclReferenceExprSyntax) {
        if isBroken, let access = node.parent?.as(MemberAccessExprSyntax.self), access.declName.id == node.id { return }
        let name = reading.name(node.baseName)
        let key = SeenName(declaration: site.declaration, function: site.function, name: name)
        // The kind of the token takes longer than the search for the name.
        if (name != "self" && seenNames.contains(key)) || reading.isTypeName(name) { return }
        switch node.baseName.tokenKind {
        case .keyword(.self):
            if let closure = site.closure { facts.closures[closure].selfUses.append(reading.span(node)) }
        case .dollarIdentifier:
            if let closure = site.closure { facts.closures[closure].usesShorthand = true }
        case .identifier:
            guard site.declaration != nil else { return }
            seenNames.insert(key)
            facts.names.append(NameUse(name: name, span: reading.span(node), site: site))
        default: break
        }
    }

    func note(member node: MemberAccessExprSyntax) {
        guard let base = node.base else { return }
        let member = reading.name(node.declName.baseName)
        if let function = site.function, facts.functions[function].name == "==" {
            let parameters = facts.functions[function].parameters.map(\.name)
            if parameters.contains(reading.path(base)) { facts.functions[function].comparedMembers.append(member) }
        }
        guard member != "self" || reading.text(node.declName.baseName) != "self", !reading.isTypeName(member),
            let type = reading.type(of: base)
        else { return }
        facts.statics.append(
            StaticUse(type: type, member: member, span: reading.span(node.declName.baseName), site: site)
        )
    }

    // MARK: Assignments

    func note(sequence node: SequenceExprSyntax) {
        let parts = Array(node.elements)
        guard parts.count >= 3, parts[1].is(AssignmentExprSyntax.self) else { return }
        if parts.count == 3, let targets = parts[0].as(TupleExprSyntax.self),
            let values = parts[2].as(TupleExprSyntax.self),
            targets.elements.count == values.elements.count
        {
            for (target, value) in zip(targets.elements, values.elements) {
                note(assignment: target.expression, [value.expression])
            }
        } else {
            note(assignment: parts[0], Array(parts[2...]))
        }
    }

    private func note(assignment target: ExprSyntax, _ values: [ExprSyntax]) {
        guard let first = values.first, let last = values.last else { return }
        var value = reading.value(first)
        if values.count > 1 {
            value = Value(span: FactSpan(Int(value.span.start), reading.span(last).offsets.upperBound))
        }
        let path = path(ofTarget: target)
        facts.assignments.append(Assignment(target: path, value: value, site: site))
        guard let closure = site.closure else { return }
        let root = path.split(separator: ".").first.map(String.init) ?? ""
        guard root == "$0" || root == facts.closures[closure].parameters.first?.name else { return }
        for value in values { facts.closures[closure].assigned += SpokenNames.all(in: value, reading) }
    }

    /// The path of what is assigned; a subscript is assigned as a part of what it belongs to.
    private func path(ofTarget target: ExprSyntax) -> String {
        if let part = target.as(SubscriptCallExprSyntax.self) { return path(ofTarget: part.calledExpression) }
        return reading.path(target)
    }

    // MARK: Errors

    func note(try node: TryExprSyntax) {
        guard let mark = node.questionOrExclamationMark else { return }
        let start = reading.span(node.tryKeyword)
        let inner = reading.bare(node.expression)
        facts.tries.append(
            OptionalTry(
                span: FactSpan(Int(start.start), Int(reading.span(mark).end)),
                site: site,
                isForced: mark.tokenKind == .exclamationMark,
                callee: inner.as(FunctionCallExprSyntax.self).map { reading.path($0.calledExpression) } ?? "",
                isInCatch: catches > 0,
                mayThrow: isUnused(node) && mayThrow(Syntax(node))
            )
        )
    }

    /// Whether an expression is a statement, or its result goes to `_`.
    private func isUnused(_ node: TryExprSyntax) -> Bool {
        guard let parent = node.parent else { return false }
        if parent.is(CodeBlockItemSyntax.self) { return true }
        if let list = parent.as(ExprListSyntax.self), list.count == 3 {
            return list.first?.is(DiscardAssignmentExprSyntax.self) == true && list.last?.id == node.id
        }
        let binding = parent.as(InitializerClauseSyntax.self)?.parent?.as(PatternBindingSyntax.self)
        return binding.map { $0.pattern.is(WildcardPatternSyntax.self) && $0.typeAnnotation == nil } ?? false
    }

    /// Whether the function around a place throws any error, and no `defer` is between.
    private func mayThrow(_ node: Syntax) -> Bool {
        var next = node.parent
        while let current = next, !current.is(DeferStmtSyntax.self), !current.is(ClosureExprSyntax.self) {
            let signature =
                current.as(FunctionDeclSyntax.self)?.signature ?? current.as(InitializerDeclSyntax.self)?.signature
            if let signature {
                guard let clause = signature.effectSpecifiers?.throwsClause else { return false }
                return clause.type == nil
            }
            next = current.parent
        }
        return false
    }

    func note(catch node: CatchClauseSyntax) {
        let statements = Array(node.body.statements)
        facts.catches.append(
            CatchClause(
                span: reading.span(node.catchKeyword),
                site: site,
                isEmpty: statements.isEmpty,
                onlyPrints: !statements.isEmpty && statements.allSatisfy { isReport($0.item) },
                pattern: node.catchItems.isEmpty ? "" : reading.text(node.catchItems)
            )
        )
    }

    /// Whether a statement prints or logs.
    private func isReport(_ item: CodeBlockItemSyntax.Item) -> Bool {
        guard let expression = item.as(ExprSyntax.self),
            let call = reading.bare(expression).as(FunctionCallExprSyntax.self)
        else { return false }
        let path = reading.path(call.calledExpression)
        if ["print", "debugPrint", "dump", "NSLog", "os_log"].contains(path) { return true }
        let parts = path.split(separator: ".").map(String.init)
        guard parts.count >= 2 else { return false }
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical", "fault", "log"]
        return ["logger", "log", "Logger"].contains(parts[parts.count - 2]) && levels.contains(parts[parts.count - 1])
    }
}

/// Collects the lower-case names of an expression that are not members of something.
private final class SpokenNames: SyntaxVisitor {
    private let reading: SyntaxReading
    private var names: [String] = []

    static func all(in expression: ExprSyntax, _ reading: SyntaxReading) -> [String] {
        let visitor = SpokenNames(reading)
        visitor.walk(expression)
        return visitor.names
    }

    private init(_ reading: SyntaxReading) {
        self.reading = reading
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if let access = node.parent?.as(MemberAccessExprSyntax.self), access.declName.id == node.id {
            return .skipChildren
        }
        names.append(reading.name(node.baseName))
        return .skipChildren
    }
}
#endif
