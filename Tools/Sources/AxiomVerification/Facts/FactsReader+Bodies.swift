// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

extension FactsReader {
    // MARK: Calls

    mutating func note(call node: SourceNode) {
        guard let called = node[.callee] else { return }
        let inner = reading.bare(called)
        let last = inner.kind == .memberAccessExpr ? inner[.member]?[.referenceName] ?? inner : inner
        var fact = Call(
            callee: reading.path(called),
            span: reading.span(last),
            whole: reading.span(node),
            site: site
        )
        fact.made = reading.made(by: called)
        fact.receiver = receiver(of: inner)
        var hasClosures = node[.trailingClosure] != nil || !node.list(.moreTrailingClosures).isEmpty
        let parts = node.list(.arguments)
        fact.labels.reserveCapacity(parts.count)
        fact.arguments.reserveCapacity(parts.count)
        for part in parts {
            guard let argument = part[.argument] else { continue }
            if argument.kind == .closureExpr { hasClosures = true }
            note(argument: argument, part[.argumentLabel].map(reading.name) ?? "", &fact)
        }
        fact.isDropped = isDropped(node)
        fact.block = blocks.last ?? 0
        // Other calls are owners of no closure.
        if hasClosures || reading.isBroken { callIndices[node.raw.id] = facts.calls.count }
        facts.calls.append(fact)
    }

    private func note(argument: SourceNode, _ label: String, _ fact: inout Call) {
        fact.labels.append(label)
        fact.arguments.append(reading.names(argument))
        if let text = reading.literal(argument) {
            fact.texts.append(Call.TextArgument(label: label, text: text, span: reading.span(argument)))
        }
        if argument.kind == .memberAccessExpr, reading.isText(argument[.member]?[.referenceName], "self"),
            let type = argument[.memberBase].flatMap(reading.type(of:))
        {
            fact.types.append(Call.TypeArgument(label: label, type: type))
        }
        let value = reading.bare(argument)
        if value.kind == .keyPathExpr, Closure.lenders.contains(fact.name), reading.text(value).hasSuffix(".self") {
            fact.returnsLent = reading.span(value)
        }
    }

    /// The type of `Type(…).member` and `Type.make().member`, where a static function is taken to make its type.
    private func receiver(of callee: SourceNode) -> TypeReference? {
        guard callee.kind == .memberAccessExpr, let base = callee[.memberBase].map(reading.bare),
            base.kind == .functionCallExpr, let called = base[.callee]
        else { return nil }
        if let made = reading.made(by: called) { return made }
        return called.kind == .memberAccessExpr ? called[.memberBase].flatMap(reading.type(of:)) : nil
    }

    /// Whether the result of an expression is not used. False where that depends on types.
    private func isDropped(_ expression: SourceNode) -> Bool {
        var (node, level) = (expression, 0)
        while let parent = ancestor(level), parent.kind == .tryExpr || parent.kind == .awaitExpr {
            node = parent
            level += 1
        }
        guard let parent = ancestor(level), let outer = ancestor(level + 1) else { return false }
        switch (parent.kind, outer.kind) {
        case (.exprList, .sequenceExpr): return isDiscarded(node, in: parent)
        case (.initializerClause, .patternBinding): return outer[.pattern]?.kind == .wildcardPattern
        case (.codeBlockItem, .codeBlockItemList): break
        default: return false
        }
        guard outer.children.only != nil, let owner = ancestor(level + 2) else { return true }
        // The only expression of a closure, a getter or a function with a result is what it returns.
        if owner.kind == .closureExpr { return ancestor(level + 3).map { isDropped(by: $0, owner) } ?? false }
        if owner.kind == .accessorBlock { return false }
        guard let function = ancestor(level + 3), function.kind == .functionDecl else { return true }
        return function.part(.functionSignature)?.part(.returnClause) == nil
    }

    /// Whether a call drops what its closure returns: `withLock { … }` returns it, and may be dropped itself.
    private func isDropped(by call: SourceNode, _ closure: SourceNode) -> Bool {
        guard call.kind == .functionCallExpr, let trailing = call[.trailingClosure], trailing == closure,
            let index = callIndices[call.raw.id]
        else { return false }
        return facts.calls[index].name == "withLock" && facts.calls[index].isDropped
    }

    /// Whether a list is `_ = node`.
    private func isDiscarded(_ node: SourceNode, in list: SourceNode) -> Bool {
        guard list.children.first?.kind == .discardAssignmentExpr, let last = list.children.last else { return false }
        return last == node
    }

    // MARK: Closures

    mutating func enter(closure node: SourceNode) {
        var fact = Closure(span: reading.span(node), site: site)
        fact.call = owner(of: node).flatMap { callIndices[$0.raw.id] }
        if let signature = node[.closureSignature] {
            fact.hasSignature = true
            fact.parameters = parameters(signature[.closureParameterClause])
            fact.captures = (signature[.captureClause]?.list(.captures)).map { $0.map(captured) } ?? []
        }
        let index = facts.closures.count
        facts.closures.append(fact)
        var inner = frame
        inner.site.closure = index
        push(inner)
    }

    private func captured(_ capture: SourceNode) -> String {
        let text = reading.text(capture)
        return text.hasSuffix(",") ? String(text.dropLast()) : text
    }

    private func owner(of node: SourceNode) -> SourceNode? {
        guard let parent = ancestor() else { return nil }
        switch parent.kind {
        case .functionCallExpr:
            guard let trailing = parent[.trailingClosure] else { return nil }
            return trailing == node ? parent : nil
        case .labeledExpr, .multipleTrailingClosureElement:
            return ancestor(2).flatMap { $0.kind == .functionCallExpr ? $0 : nil }
        default: return nil
        }
    }

    private func parameters(_ clause: SourceNode?) -> [Closure.ClosureParameter] {
        guard let clause else { return [] }
        guard clause.kind == .closureParameterClause else {
            return clause.children.compactMap { parameter in
                guard let name = parameter[.shorthandParameterName] else { return nil }
                return .init(name: reading.name(name), span: reading.span(name), type: nil)
            }
        }
        return clause.list(.closureParameters).compactMap { parameter in
            guard let name = parameter[.closureParameterSecondName] ?? parameter[.closureParameterName] else {
                return nil
            }
            let type = parameter[.closureParameterType].map { reading.reference($0) }
            return .init(name: reading.name(name), span: reading.span(name), type: type)
        }
    }

    // MARK: Names

    mutating func note(name node: SourceNode) {
        if reading.isBroken, let access = ancestor(), access.kind == .memberAccessExpr, let member = access[.member],
            member == node
        {
            return
        }
        guard let token = node[.referenceName], let kind = token.raw.tokenView?.rawKind, !reading.isTypeName(token)
        else { return }
        switch kind {
        case .keyword:
            guard reading.isKeyword(token, "self"), let closure = site.closure else { return }
            facts.closures[closure].selfUses.append(reading.span(node))
        case .dollarIdentifier:
            if let closure = site.closure { facts.closures[closure].usesShorthand = true }
        case .identifier:
            guard site.declaration != nil || site.function != nil else { return }
            let name = reading.name(token)
            let key = SeenName(declaration: site.declaration, function: site.function, name: name)
            guard seenNames.insert(key).inserted || name == "self" else { return }
            facts.names.append(NameUse(name: name, span: reading.span(node), site: site))
        default: break
        }
    }

    mutating func note(member node: SourceNode) {
        guard let base = node[.memberBase], let token = node[.member]?[.referenceName] else { return }
        if let function = site.function, facts.functions[function].name == "==" {
            let parameters = facts.functions[function].parameters
            let path = reading.path(base)
            if parameters.contains(where: { $0.name == path }) {
                facts.functions[function].comparedMembers.append(reading.name(token))
            }
        }
        guard !reading.isText(token, "self"), !reading.isTypeName(token), let type = reading.type(of: base) else {
            return
        }
        facts.statics.append(
            StaticUse(type: type, member: reading.name(token), span: reading.span(token), site: site)
        )
    }

    // MARK: Assignments

    mutating func note(sequence node: SourceNode) {
        var elements = node.list(.sequence)
        guard let target = elements.next(), elements.next()?.kind == .assignmentExpr, let value = elements.next() else {
            return
        }
        let others = Array(elements)
        if others.isEmpty, target.kind == .tupleExpr, value.kind == .tupleExpr {
            let targets = Array(target.list(.tupleElements))
            let values = Array(value.list(.tupleElements))
            if targets.count == values.count {
                for (target, value) in zip(targets, values) {
                    guard let target = target[.argument], let value = value[.argument] else { continue }
                    note(assignment: target, [value])
                }
                return
            }
        }
        note(assignment: target, [value] + others)
    }

    private mutating func note(assignment target: SourceNode, _ values: [SourceNode]) {
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
        for value in values { noteNames(in: value, of: closure) }
    }

    /// The path of what is assigned; a subscript is assigned as a part of what it belongs to.
    private func path(ofTarget target: SourceNode) -> String {
        let target = reading.bare(target)
        if target.kind == .subscriptCallExpr, let part = target[.subscripted] { return path(ofTarget: part) }
        return reading.path(target)
    }

    /// Notes what operators change, and whose identity they compare.
    mutating func note(operators node: SourceNode) {
        let elements = Array(node.list(.sequence))
        for index in elements.indices.dropFirst().dropLast() where elements[index].kind == .binaryOperatorExpr {
            let text = elements[index][.binaryOperator].map(reading.text) ?? ""
            switch text {
            case "===", "!==":
                for operand in [elements[index - 1], elements[index + 1]] where operand.kind != .nilLiteralExpr {
                    note(path: reading.path(operand), at: operand, in: \.identities)
                }
            case "==", "!=", "<=", ">=", "~=": break
            default:
                guard text.hasSuffix("=") else { continue }
                note(path: path(ofTarget: elements[index - 1]), at: elements[index - 1], in: \.changes)
            }
        }
    }

    mutating func note(inOut node: SourceNode) {
        guard let changed = node[.inOut] else { return }
        note(path: path(ofTarget: changed), at: changed, in: \.changes)
    }

    private mutating func note(path: String, at node: SourceNode, in list: WritableKeyPath<FileFacts, [NameUse]>) {
        facts[keyPath: list].append(NameUse(name: path, span: reading.span(node), site: site))
    }

    /// Notes the lower-case names of an assigned expression that are not members of something.
    private mutating func noteNames(in node: SourceNode, of closure: Int) {
        switch node.kind {
        case .token: break
        case .declReferenceExpr: facts.closures[closure].assigned.append(reading.name(node[.referenceName]))
        case .memberAccessExpr:
            let member = node[.member]
            for child in node.children where member.map({ !($0 == child) }) ?? true {
                noteNames(in: child, of: closure)
            }
        default: for child in node.children { noteNames(in: child, of: closure) }
        }
    }
}
