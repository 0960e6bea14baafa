// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let streamForUpdates = Recipe(
        "stream-for-updates",
        "Replaces streams of updates by the stream of the store, and tasks that read them by observe."
    ) { project, changes in
        for type in changes.file.types where project.isOld(type.name) {
            if let client = project.clients[type.name], let state = client.state {
                changes.replaceStream(of: type, state)
            } else if let context = project.contexts[type.name], type.kind != .extension {
                ObservationRewriter(type, context, project).run(&changes)
            }
        }
    }
}

extension Changes {
    fileprivate mutating func replaceStream(of type: TypeNode, _ state: String) {
        let names = type.members.compactMap { $0.as(VariableDeclSyntax.self) }.compactMap(streamNames)
        let stream = "\(type.access)nonisolated var stateStream: StateStream<\(state)> { store.stream }"
        var hasStream = type.variables.contains { $0.name == "stateStream" && $0.type?.lastName == "StateStream" }
        for variable in type.variables where ["stateUpdates", "stateStream"].contains(variable.name) {
            guard variable.type?.lastName == "AsyncStream" else { continue }
            if hasStream { remove(variable.node) } else { replace(variable.node, with: stream) }
            hasStream = true
        }
        if !hasStream, type.kind != .extension { addFirst([stream], to: type) }
        var continuations: Set<String> = ["continuation"]
        for (declaration, _, continuation) in names {
            continuations.insert(continuation)
            remove(declaration)
        }
        removeUses(of: continuations, in: type)
    }

    /// `let (stream, continuation) = AsyncStream.makeStream(of: Update.self)`.
    private func streamNames(_ node: VariableDeclSyntax) -> (VariableDeclSyntax, String, String)? {
        guard let binding = node.bindings.first, let pattern = binding.pattern.as(TuplePatternSyntax.self),
            let call = binding.initializer?.value.memberCall, call.base.lastName == "AsyncStream",
            call.name == "makeStream"
        else { return nil }
        let names = pattern.elements.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
        return names.count == 2 ? (node, names[0], names[1]) : nil
    }

    private mutating func removeUses(of continuations: Set<String>, in type: TypeNode) {
        var removed: Set<SyntaxIdentifier> = []
        for call in type.node.all(FunctionCallExprSyntax.self) {
            guard let (_, base, name) = call.memberCall, let root = base.root,
                continuations.contains(root.baseName.text),
                ["yield", "finish"].contains(name), let item = call.statement
            else { continue }
            removed.insert(item.id)
            if name == "yield", call.arguments.first?.expression.lastErrorCase ?? false {
                note(item, "An update carried an error: throw it from process, it ends at the boundary of the context.")
            }
        }
        for member in type.members {
            guard let block = Self.body(of: member) else { continue }
            let isLast = !block.items.isEmpty && block.items.allSatisfy { removed.contains($0.id) }
            // An initializer of the compiler or of the protocol does the same.
            let isOptional =
                member.is(DeinitializerDeclSyntax.self)
                || ["deactivate"].contains(member.as(FunctionDeclSyntax.self)?.name.text ?? "")
            if isLast, isOptional {
                remove(member)
            } else {
                for item in block.all(CodeBlockItemSyntax.self) where removed.contains(item.id) { drop(item) }
            }
        }
    }

    /// Removes a statement. A case keeps at least a `break`.
    private mutating func drop(_ item: CodeBlockItemSyntax) {
        if let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
            list.parent?.is(SwitchCaseSyntax.self) ?? false
        {
            replace(item, with: "break")
        } else {
            remove(item)
        }
    }

    static func body(of member: DeclSyntax) -> CodeBlockSyntax? {
        member.as(FunctionDeclSyntax.self)?.body ?? member.as(DeinitializerDeclSyntax.self)?.body
            ?? member.as(InitializerDeclSyntax.self)?.body
    }
}

extension ExprSyntax {
    /// Whether it is `.error(…)` or `.failed(…)`, a case for errors.
    fileprivate var lastErrorCase: Bool {
        guard let call = self.as(FunctionCallExprSyntax.self), let name = call.calledExpression.lastName else {
            return false
        }
        return ["error", "failed", "failure"].contains(name)
    }
}
