// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// Notes about code that only a person can adapt.
extension Changes {
    /// Names reads of the state of a client that do not wait: a client was a class in the draft, and is an actor.
    mutating func noteStateReads(in type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) {
        for access in type.node.all(MemberAccessExprSyntax.self) where access.declName.baseName.text == "state" {
            guard let base = access.base?.withoutSelf, let client = context.clients[base],
                project.clients[client]?.state != nil, !access.isAwaited
            else { continue }
            note(
                access,
                "\(base).state has to be awaited now: read what an observation of \(base) copied, or await it."
            )
        }
    }

    /// Names calls of the initializers that components had, outside of orchestrators, whose calls become registrations.
    mutating func noteOldInitializers(_ project: MigrationFacts) {
        for call in file.tree.all(FunctionCallExprSyntax.self) {
            guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
                project.isOldComponent(name), !takesScope(call), !isInOrchestrator(call, project)
            else { continue }
            note(
                call,
                "Only the orchestrator makes a \(name): register it, and get it from a scope in place of this call."
            )
        }
    }

    /// Names types that no recipe takes for components or states, because the project declares what they inherit from.
    mutating func noteSkippedTypes(_ project: MigrationFacts) {
        guard project.mayNameFramework(file) else { return }
        let declared = project.declared(in: file.path)
        for type in file.types where type.kind != .protocol && !project.isOldComponent(type.name) {
            let own = Set(type.inherited.map(\.name)).subtracting(type.inherited(besides: declared))
            for name in own.intersection(FrameworkBases.all).sorted() {
                note(
                    type.keyword,
                    "\(type.name) was left, because the project declares \(name) itself: if Axiom's is meant, write Axiom.\(name).",
                    section: "the-tool"
                )
            }
        }
    }

    private func takesScope(_ call: FunctionCallExprSyntax) -> Bool {
        guard let first = call.arguments.first, first.label == nil else { return false }
        return ["$0", "scope"].contains(first.expression.code)
    }

    private func isInOrchestrator(_ call: FunctionCallExprSyntax, _ project: MigrationFacts) -> Bool {
        guard let name = call.enclosing(ClassDeclSyntax.self)?.name.text else { return false }
        return project.orchestrators.contains(name)
    }
}

extension MigrationFacts {
    /// Whether a file that is not written for 1.0 may mean the framework by a name.
    fileprivate func mayNameFramework(_ file: ParsedFile) -> Bool {
        let dialect = dialect(of: file.path)
        return dialect.isOld || (dialect == .none && Dialect.importsAxiom(file))
    }

    /// Whether a name is that of a client, a capability or a context of an old version.
    fileprivate func isOldComponent(_ name: String) -> Bool {
        isOld(name) && (clients[name] != nil || capabilities.contains(name) || contexts[name] != nil)
    }
}

extension SyntaxProtocol {
    /// Whether an `await` covers this in its statement: around it, before it between operators, or that of `async let`.
    fileprivate var isAwaited: Bool {
        var node = Syntax(self)
        while let parent = node.parent, !node.is(CodeBlockItemSyntax.self) {
            if node.waits || node.isAsyncLet { return true }
            // Trees are not folded: await stands at one element of a sequence, and covers those behind it.
            if parent.parent?.is(SequenceExprSyntax.self) ?? false, let elements = parent.as(ExprListSyntax.self),
                elements.contains(where: { $0.position < node.position && Syntax($0).waits })
            {
                return true
            }
            node = parent
        }
        return false
    }
}

extension Syntax {
    fileprivate var waits: Bool {
        if let word = self.as(TryExprSyntax.self) { return Syntax(word.expression).waits }
        return self.is(AwaitExprSyntax.self)
    }

    fileprivate var isAsyncLet: Bool {
        self.as(VariableDeclSyntax.self)?.modifiers.contains { $0.name.text == "async" } ?? false
    }
}

extension ExprSyntax {
    /// The property that an expression is, as `todo` in `self.todo` and in `todo`.
    fileprivate var withoutSelf: String? {
        guard let member = self.as(MemberAccessExprSyntax.self) else {
            return self.as(DeclReferenceExprSyntax.self)?.baseName.text
        }
        guard member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "self" else { return nil }
        return member.declName.baseName.text
    }
}
