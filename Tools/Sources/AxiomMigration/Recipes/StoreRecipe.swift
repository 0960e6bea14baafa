// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let storeForState = Recipe(
        "store-for-state",
        "Keeps the state of a client in a StateStore, and changes it by updates of the store."
    ) { project, changes in
        for type in changes.file.types {
            guard let client = project.clients[type.name], client.dialect.isOld, let state = client.state else {
                continue
            }
            if type.kind != .extension { changes.addStore(of: state, to: type) }
            for function in type.functions { changes.updateStore(in: Syntax(function), project) }
        }
    }
}

extension Changes {
    fileprivate mutating func addStore(of state: String, to type: TypeNode) {
        guard !type.variables.contains(where: { $0.typeName == "StateStore" }) else { return }
        let store = "private let store: StateStore<\(state)>"
        let reader = "\(type.access)var state: \(state) { store.state }"
        if let property = type.variables.first(where: { $0.name == "state" && $0.isStored }) {
            replace(property.node, with: store + "\n" + file.indentation(of: property.node) + reader)
        } else if !type.variables.contains(where: { $0.name == "state" }) {
            addFirst([store, reader], to: type)
        }
    }

    /// Lets the statements of a function that change the state do so in an update.
    fileprivate mutating func updateStore(in body: Syntax, _ project: MigrationFacts) {
        for item in body.all(CodeBlockItemSyntax.self) where !isInUpdate(item) {
            if let value = updateStateCall(item) {
                wrap(item, replacing: value.call, with: "state = " + value.argument)
            } else if let assignment = AssignmentNode(item), assignment.target.rootName == "state" {
                update(item, assignment)
            } else if changesState(item, project) {
                wrap(item, isResult: Self.mutating[item.item.withoutEffects.memberCall?.name ?? ""] ?? false)
            }
        }
        for argument in body.all(InOutExprSyntax.self) where argument.expression.rootName == "state" {
            note(argument, "The state is passed inout: do it inside store.update { state in … }.")
        }
    }

    /// `updateState(x)` of the draft's base class.
    private func updateStateCall(_ item: CodeBlockItemSyntax) -> (call: FunctionCallExprSyntax, argument: String)? {
        guard let call = item.item.withoutEffects.as(FunctionCallExprSyntax.self),
            call.calledExpression.rootName == "updateState" || call.calledExpression.lastName == "updateState",
            call.arguments.count == 1, let argument = call.arguments.first, argument.label == nil,
            call.trailingClosure == nil, !argument.expression.is(ClosureExprSyntax.self)
        else { return nil }
        return (call, argument.expression.code)
    }

    private mutating func update(_ item: CodeBlockItemSyntax, _ assignment: AssignmentNode) {
        guard item.contains(.await) else { return wrap(item) }
        // Only the value may wait: an update runs at once.
        let name = "new" + (assignment.target.lastName ?? "state").capitalizedFirst
        guard assignment.sign == "=", let first = assignment.value.first, let last = assignment.value.last,
            !item.root(uses: name), !assignment.target.contains(.await)
        else {
            return note(item, "This change of the state waits: compute the value first, then call store.update.")
        }
        let value = file.source(file.range(of: first).lowerBound..<file.range(of: last).upperBound)
        let target = assignment.target.code.withoutSelf
        replace(
            bytes: file.range(of: item),
            with: "let \(name) = \(value)\n\(file.indentation(of: item))store.update { state in \(target) = \(name) }"
        )
    }

    /// Methods that change a value, and whether the caller may ignore their result.
    private static let mutating: [String: Bool] = [
        "append": false, "sort": false, "reverse": false, "shuffle": false, "toggle": false, "removeAll": false,
        "removeSubrange": false, "replaceSubrange": false, "swapAt": false, "merge": false, "formUnion": false,
        "formIntersection": false, "formSymmetricDifference": false, "subtract": false, "reserveCapacity": false,
        "insert": true, "update": true, "remove": true, "removeFirst": true, "removeLast": true, "removeValue": true,
        "updateValue": true, "popFirst": true, "popLast": true,
    ]

    private func changesState(_ item: CodeBlockItemSyntax, _ project: MigrationFacts) -> Bool {
        guard let (_, base, name) = item.item.withoutEffects.memberCall, base.rootName == "state",
            !item.contains(.await)
        else { return false }
        if Self.mutating[name] != nil { return true }
        return project.types.values.contains { $0.methods.contains { $0.name == name && $0.isMutating } }
    }

    /// Puts a statement into an update whose parameter is called `state`, so that the statement stays as it is.
    private mutating func wrap(
        _ item: CodeBlockItemSyntax,
        replacing call: FunctionCallExprSyntax? = nil,
        with text: String? = nil,
        isResult: Bool = false
    ) {
        if let call, let text {
            let waits = call.arguments.contains { $0.expression.contains(.await) }
            if waits {
                return note(item, "This change of the state waits: compute the value first, then call store.update.")
            }
            replace(item, with: "store.update { state in \(text) }")
            return
        }
        for word in item.all(DeclReferenceExprSyntax.self) where word.baseName.text == "self" {
            guard let member = word.parent?.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "state"
            else {
                continue
            }
            replace(bytes: file.start(of: member)..<file.start(of: member.declName), with: "")
        }
        let `try` = item.contains(.try) ? "try " : ""
        insert("\(`try`)store.update { state in \(isResult ? "_ = " : "")", before: item)
        insert(" }", after: item)
    }

    private func isInUpdate(_ item: CodeBlockItemSyntax) -> Bool {
        var node: Syntax? = item.parent
        while let current = node {
            if let call = current.memberCall, call.name == "update", call.base.rootName == "store" { return true }
            node = current.parent
        }
        return false
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    fileprivate var withoutSelf: String { hasPrefix("self.") ? String(dropFirst(5)) : self }
}

extension SyntaxProtocol {
    /// Whether a name stands in the function around this node.
    fileprivate func root(uses name: String) -> Bool {
        guard let function = enclosing(FunctionDeclSyntax.self) else { return false }
        return function.tokens(viewMode: .sourceAccurate).contains { $0.text == name }
    }
}
