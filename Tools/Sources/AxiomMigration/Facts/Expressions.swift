// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension SyntaxProtocol {
    /// The name at the begin of a chain of members, calls and subscripts: `state` in `self.state.items.append(1)`.
    var root: DeclReferenceExprSyntax? {
        var node = Syntax(self)
        while true {
            if let name = node.as(DeclReferenceExprSyntax.self) { return name }
            guard let next = node.chainBase else { return nil }
            if next.as(DeclReferenceExprSyntax.self)?.baseName.text == "self",
                let member = node.as(MemberAccessExprSyntax.self)
            {
                return member.declName
            }
            node = next
        }
    }

    var rootName: String? { root?.baseName.text }

    /// What an expression reads first: the base of a member, the function of a call.
    private var chainBase: Syntax? {
        let node = Syntax(self)
        if let member = node.as(MemberAccessExprSyntax.self) { return member.base.map { Syntax($0) } }
        if let call = node.as(FunctionCallExprSyntax.self) { return Syntax(call.calledExpression) }
        if let call = node.as(SubscriptCallExprSyntax.self) { return Syntax(call.calledExpression) }
        if let chain = node.as(OptionalChainingExprSyntax.self) { return Syntax(chain.expression) }
        if let force = node.as(ForceUnwrapExprSyntax.self) { return Syntax(force.expression) }
        if let word = node.as(TryExprSyntax.self) { return Syntax(word.expression) }
        if let word = node.as(AwaitExprSyntax.self) { return Syntax(word.expression) }
        return nil
    }

    /// The expression without `try` and `await` before it.
    var withoutEffects: Syntax {
        var node = Syntax(self)
        while true {
            if let word = node.as(TryExprSyntax.self) {
                node = Syntax(word.expression)
            } else if let word = node.as(AwaitExprSyntax.self) {
                node = Syntax(word.expression)
            } else {
                return node
            }
        }
    }

    /// All nodes of one kind below this one, in order.
    func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        var result: [Node] = []
        var stack = [Syntax(self)]
        while let node = stack.popLast() {
            if let match = node.as(type) { result.append(match) }
            stack += node.children(viewMode: .sourceAccurate).reversed()
        }
        return result
    }

    /// The nearest node of one kind around this one.
    func enclosing<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
        var node = parent
        while let current = node {
            if let match = current.as(type) { return match }
            node = current.parent
        }
        return nil
    }

    func contains(_ keyword: Keyword) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(keyword) }
    }

    /// Whether it uses a name as an expression.
    func uses(_ name: String) -> Bool { all(DeclReferenceExprSyntax.self).contains { $0.baseName.text == name } }

    /// Whether this is a call of a member, as `client.send(action)`: its base and its name.
    var memberCall: (call: FunctionCallExprSyntax, base: ExprSyntax, name: String)? {
        guard let call = Syntax(self).as(FunctionCallExprSyntax.self),
            let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base
        else { return nil }
        return (call, base, member.declName.baseName.text)
    }

    /// The statement that this expression is the whole of.
    var statement: CodeBlockItemSyntax? {
        var node = Syntax(self)
        while let parent = node.parent {
            if let item = parent.as(CodeBlockItemSyntax.self) { return item }
            guard parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self) else { return nil }
            node = parent
        }
        return nil
    }
}

/// An assignment as a statement: `self.name = name`.
struct AssignmentNode {
    let item: CodeBlockItemSyntax
    let target: ExprSyntax
    /// `=`, or `+=` and the like.
    let sign: String
    /// The elements right of the sign.
    let value: [ExprSyntax]

    init?(_ item: CodeBlockItemSyntax) {
        guard let sequence = item.item.as(SequenceExprSyntax.self) else { return nil }
        let elements = Array(sequence.elements)
        guard elements.count >= 3 else { return nil }
        if elements[1].is(AssignmentExprSyntax.self) {
            sign = "="
        } else if let sign = elements[1].as(BinaryOperatorExprSyntax.self)?.operator.text, sign.hasSuffix("="),
            !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(sign)
        {
            self.sign = sign
        } else {
            return nil
        }
        self.item = item
        target = elements[0]
        value = Array(elements[2...])
    }

    /// The property that is assigned as a whole: `name` in `self.name = 1` and in `name = 1`.
    var property: String? {
        if let name = target.as(DeclReferenceExprSyntax.self) { return name.baseName.text }
        guard let member = target.as(MemberAccessExprSyntax.self),
            let base = member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text, ["self", "context"].contains(base)
        else { return nil }
        return member.declName.baseName.text
    }

    /// The name that is the whole value.
    var valueName: String? {
        value.count == 1 ? value[0].as(DeclReferenceExprSyntax.self)?.baseName.text : nil
    }
}

extension CodeBlockSyntax {
    /// The statements of the block itself.
    var items: [CodeBlockItemSyntax] { Array(statements) }
}

extension FunctionDeclSyntax {
    func has(_ modifier: String) -> Bool { modifiers.contains { $0.name.text == modifier } }
}
