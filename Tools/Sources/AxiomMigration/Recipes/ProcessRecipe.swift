// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let renameProcess = Recipe(
        "rename-process",
        "Renames send and dispatch of clients to process, and lets actions conform to Action."
    ) { project, changes in
        let payloads = project.values(in: project.actions)
        for type in changes.file.types {
            if project.actions.contains(type.name), type.kind == .enum || type.kind == .struct {
                changes.conform(type, to: ["Action"])
            } else if payloads.contains(type.name), type.kind == .struct || type.kind == .enum, !type.access.isEmpty {
                changes.conform(type, to: ["Sendable"])
            }
            if let client = project.clients[type.name], client.dialect.isOld { changes.renameProcess(of: type) }
            if let context = project.contexts[type.name], context.dialect.isOld {
                changes.callProcess(in: type, context, project)
            }
        }
        changes.awaitSenders(project)
    }
}

extension Changes {
    fileprivate mutating func renameProcess(of type: TypeNode) {
        for function in type.functions where ["send", "dispatch"].contains(function.name.text) {
            guard function.signature.parameterClause.parameters.count == 1,
                function.signature.parameterClause.parameters.first?.firstName.text == "_"
            else { continue }
            rename(function.name, to: "process")
            addEffects(function, throws: true)
        }
        for call in type.node.all(FunctionCallExprSyntax.self) {
            let member = call.calledExpression.as(MemberAccessExprSyntax.self)
            let isOwn = member?.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "self"
            let name = isOwn ? member?.declName : call.calledExpression.as(DeclReferenceExprSyntax.self)
            guard let name, ["send", "dispatch"].contains(name.baseName.text) else { continue }
            rename(name, to: "process")
            if name.baseName.text == "dispatch" { insert("try await ", before: call) }
        }
    }

    /// Renames the calls of clients in a context.
    ///
    /// `dispatch` neither waited nor failed. A context with one client sends the action to itself, so that an error ends at its
    /// boundary; `handle` passes it on.
    fileprivate mutating func callProcess(in type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) {
        var sends = false
        for call in type.node.all(FunctionCallExprSyntax.self) {
            guard let (_, base, name) = call.memberCall, let property = base.rootName, context.clients[property] != nil,
                let member = call.calledExpression.as(MemberAccessExprSyntax.self)
            else { continue }
            if name == "send" {
                rename(member.declName, to: "process")
            } else if name == "dispatch" {
                sends = dispatch(call, base, context) || sends
            }
        }
        guard sends, type.function("handle") == nil, type.function("send") == nil, let action = context.action,
            let client = context.clients.keys.first
        else { return }
        add(
            [
                "\(type.access)func handle(_ action: \(action)) async throws {",
                "    try await \(client).process(action)",
                "}",
            ],
            to: type
        )
    }

    /// - Returns: Whether the context sends the action to itself.
    private mutating func dispatch(
        _ call: FunctionCallExprSyntax,
        _ base: ExprSyntax,
        _ context: ContextFacts
    ) -> Bool {
        let sends = context.clients.count == 1
        // The arguments stay, with comments between them.
        let head = sends ? "await send" : "try await \(base.code).process"
        if let closure = call.enclosing(ClosureExprSyntax.self), closure.enclosing(FunctionDeclSyntax.self) != nil,
            closure.signature?.effectSpecifiers?.asyncSpecifier == nil
        {
            replace(call.calledExpression, with: "Task { " + head)
            insert(" }", after: call)
            note(call, "The action starts a task of its own in a closure: check that nothing depends on its end.")
            return sends
        }
        replace(call.calledExpression, with: head)
        if let function = call.enclosing(FunctionDeclSyntax.self) { addEffects(function, throws: !sends) }
        return sends
    }

    /// Calls of methods of contexts that became asynchronous, in other types: `context.add()` in a button.
    fileprivate mutating func awaitSenders(_ project: MigrationFacts) {
        let senders = project.dispatchingMethods
        guard !senders.isEmpty else { return }
        for type in file.types where project.contexts[type.name] == nil {
            let properties = project.types[type.name]?.properties ?? []
            let held = properties.filter { property in
                !property.typeNames.isDisjoint(with: Set(senders.keys))
                    || property.type.map { senders[$0] != nil } ?? false
            }
            for call in type.node.all(FunctionCallExprSyntax.self) {
                guard let (_, base, name) = call.memberCall, let root = base.rootName,
                    let property = held.first(where: { $0.name == root }),
                    let context = property.typeNames.union([property.type].compactMap(\.self)).first(where: {
                        senders[$0] != nil
                    }),
                    senders[context]?.contains(name) ?? false, call.enclosing(AwaitExprSyntax.self) == nil
                else { continue }
                if call.parent?.is(CodeBlockItemSyntax.self) ?? false, call.enclosing(ClosureExprSyntax.self) != nil {
                    insert("Task { await ", before: call)
                    insert(" }", after: call)
                } else {
                    note(call, "\(context).\(name) is asynchronous now: await it.")
                }
            }
        }
    }
}
