// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let constrainedViewToPresentation = Recipe(
        "constrained-view-to-presentation",
        "Makes views with one context presentations, whose host calls the methods of the context's life."
    ) { project, changes in
        for type in changes.file.types where type.kind == .struct {
            let contexts = type.variables.filter { variable in
                variable.isStored && !variable.isStatic
                    && variable.type?.lastName.map { project.contexts[$0] != nil } ?? false
            }
            guard let context = contexts.first, !type.inherits("Presentation"), changes.isOldView(type, project) else {
                continue
            }
            guard contexts.count == 1 else {
                changes.note(
                    type.keyword,
                    "\(type.name) has \(contexts.count) contexts, and a presentation has one.",
                    section: "views"
                )
                continue
            }
            changes.present(type, context)
        }
    }
}

extension Changes {
    fileprivate func isOldView(_ type: TypeNode, _ project: MigrationFacts) -> Bool {
        type.inherits("ConstrainedView") || (type.inherits("View") && project.hasOldFiles)
    }

    fileprivate mutating func present(_ type: TypeNode, _ context: VariableNode) {
        if type.inherits("ConstrainedView") {
            replaceInherited(type, "ConstrainedView", with: ["View", "Presentation"])
        } else {
            conform(type, to: ["Presentation"])
        }
        for name in ["ObservedObject", "StateObject"] {
            if let attribute = context.attribute(name) { removeWord(attribute) }
        }
        if context.node.bindingSpecifier.tokenKind == .keyword(.var) {
            rename(context.node.bindingSpecifier, to: "let")
        }
        if context.name != "context" { renameContext(context.name, in: type) }
        for call in type.node.all(FunctionCallExprSyntax.self) { dropLifecycle(call, context.name) }
        for name in type.node.all(DeclReferenceExprSyntax.self) where name.baseName.text == "$" + context.name {
            note(name, "Bindings of a context need @Bindable.", section: "views")
        }
    }

    /// A presentation calls its context `context`.
    private mutating func renameContext(_ name: String, in type: TypeNode) {
        for token in type.block.tokens(viewMode: .sourceAccurate) where token.text == name {
            if token.parent?.is(LabeledExprSyntax.self) ?? false { continue }
            rename(token, to: "context")
        }
        note(
            type.keyword,
            "The context of \(type.name) was called \(name), and is called context: pass it so.",
            section: "views"
        )
    }

    private static let modifiers: Set<String> = ["task", "onAppear", "onDisappear"]
    private static let lifecycle: Set<String> = [
        "onAppear", "onDisappear", "viewDidAppear", "viewDidDisappear", "startObservation", "stopObservation",
    ]

    /// Removes `.task { await context.onAppear() }` and the like.
    private mutating func dropLifecycle(_ call: FunctionCallExprSyntax, _ context: String) {
        guard let (_, base, name) = call.memberCall, Self.modifiers.contains(name), call.arguments.isEmpty,
            let closure = call.trailingClosure, isLifecycle(Array(closure.statements), context)
        else { return }
        let range = file.range(of: base).upperBound..<file.range(of: call).upperBound
        let tokens = call.tokens(viewMode: .sourceAccurate).filter { file.start(of: $0) >= range.lowerBound }
        // What stands behind the last token of the base is in the range, too.
        let behind = base.lastToken(viewMode: .sourceAccurate)?.trailingTrivia.compactMap(\.comment) ?? []
        let inside = tokens.flatMap { token in
            let isLast = file.range(of: token).upperBound == range.upperBound
            return token.leadingTrivia.compactMap(\.comment)
                + (isLast ? [] : token.trailingTrivia.compactMap(\.comment))
        }
        let period = call.calledExpression.as(MemberAccessExprSyntax.self)?.period
        let indentation = period.map { file.indentation(of: $0) } ?? file.indentation(of: call)
        replace(bytes: range, with: (behind + inside).map { "\n" + indentation + $0 }.joined())
    }

    private func isLifecycle(_ items: [CodeBlockItemSyntax], _ context: String) -> Bool {
        guard items.count == 1, let only = items.first else { return false }
        let expression = only.item.withoutEffects
        guard let call = expression.as(FunctionCallExprSyntax.self) else { return false }
        if call.calledExpression.lastName == "Task", let closure = call.trailingClosure {
            return isLifecycle(Array(closure.statements), context)
        }
        guard let (_, base, name) = call.memberCall else { return false }
        return Self.lifecycle.contains(name) && [context, "context"].contains(base.rootName ?? "")
    }
}

extension MigrationFacts {
    /// Whether a file of the project is written in an old version.
    var hasOldFiles: Bool { dialects.values.contains { $0.isOld } }
}
