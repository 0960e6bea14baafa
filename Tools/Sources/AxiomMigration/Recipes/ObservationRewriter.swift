// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// Rewrites how a context follows its clients: `observe` in place of tasks and subscriptions, which end with the context.
struct ObservationRewriter {
    private let type: TypeNode
    private let context: ContextFacts
    private let sites: [SyntaxIdentifier: ObservationSite]
    /// Functions that hold a statement of ``sites``.
    private let observers: Set<String>
    /// Statements that have nothing to do any more.
    private var idle: Set<SyntaxIdentifier> = []
    private var idleFunctions: Set<SyntaxIdentifier> = []

    private static let appearances = ["onAppear", "viewDidAppear"]

    init(_ type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) {
        self.type = type
        self.context = context
        var sites: [SyntaxIdentifier: ObservationSite] = [:]
        var observers: Set<String> = []
        let facts = project.types[type.name]
        for member in type.members {
            for item in Changes.body(of: member)?.items ?? [] {
                guard let facts, let site = ObservationSite(item, context, facts, project) else { continue }
                sites[item.id] = site
                if let function = member.as(FunctionDeclSyntax.self) { observers.insert(function.name.text) }
            }
        }
        self.sites = sites
        self.observers = observers
        findIdle()
    }

    func run(_ changes: inout Changes) {
        var moved: [String] = []
        for member in type.members {
            guard let block = Changes.body(of: member) else { continue }
            if idleFunctions.contains(member.id) {
                changes.remove(member)
                continue
            }
            let isInitializer = member.is(InitializerDeclSyntax.self)
            for item in block.all(CodeBlockItemSyntax.self) {
                if let site = sites[item.id] {
                    let text = observation(site, indentation: changes.file.indentation(of: item), changes)
                    if isInitializer {
                        moved.append(text)
                        changes.remove(item)
                    } else {
                        changes.replace(item, with: text)
                    }
                    if site.isFromEvents { noteEvents(site, item, &changes) }
                } else if idle.contains(item.id) {
                    changes.remove(item)
                } else if isInitializer, let name = calledFunction(item), observers.contains(name) {
                    moved.append(item.code)
                    changes.remove(item)
                }
            }
        }
        for property in idleProperties { changes.remove(property.node) }
        moveToAppearance(moved, &changes)
    }

    private func observation(_ site: ObservationSite, indentation: String, _ changes: Changes) -> String {
        let step = changes.file.step(in: type.block)
        let body = site.lines.map { "\n" + ($0.isEmpty ? "" : indentation + step + $0) }.joined()
        return "observe(\(site.client)) { context, \(site.parameter) in\(body)\n\(indentation)}"
    }

    private func noteEvents(_ site: ObservationSite, _ item: CodeBlockItemSyntax, _ changes: inout Changes) {
        changes.note(
            item,
            "\(context.name) followed updates of \(site.client), and follows its states now: check that each property that an "
                + "update set is set from the state."
        )
    }

    /// Puts what the initializer began to observe into the method that runs when the context appears.
    private func moveToAppearance(_ moved: [String], _ changes: inout Changes) {
        guard !moved.isEmpty else { return }
        if let function = type.functions.first(where: { Self.appearances.contains($0.name.text) }),
            let body = function.body
        {
            let step = changes.file.step(in: type.block)
            let indentation = changes.file.indentation(of: function) + step
            changes.insert(moved.map { "\n" + indentation + $0 }.joined(), after: body.leftBrace)
        } else {
            let lines = moved.flatMap { $0.split(separator: "\n").map { "    " + $0.drop { $0 == " " } } }
            changes.add(["\(type.access)func onAppear() async {"] + lines + ["}"], to: type)
        }
    }

    // MARK: What has nothing to do any more

    private mutating func findIdle() {
        let properties = Set(taskProperties.map(\.name))
        var names: Set<String> = []
        var count = -1
        while count != idle.count {
            count = idle.count
            for member in type.members {
                guard let block = Changes.body(of: member) else { continue }
                for item in block.items where sites[item.id] == nil {
                    if isIdle(item, properties, names) { idle.insert(item.id) }
                }
                guard !block.items.isEmpty, block.items.allSatisfy({ idle.contains($0.id) }) else { continue }
                if member.is(DeinitializerDeclSyntax.self) { idleFunctions.insert(member.id) }
                if let function = member.as(FunctionDeclSyntax.self) {
                    idleFunctions.insert(member.id)
                    names.insert(function.name.text)
                }
            }
        }
    }

    /// Properties that keep a task or a subscription and are used for nothing else.
    private var taskProperties: [VariableNode] {
        type.variables.filter { variable in
            guard !sites.isEmpty, variable.isStored, let names = variable.type?.names else { return false }
            return !names.isDisjoint(with: ["Task", "AnyCancellable", "Cancellable"])
        }
    }

    private var idleProperties: [VariableNode] {
        taskProperties.filter { property in
            type.node.all(DeclReferenceExprSyntax.self).filter { $0.baseName.text == property.name }.allSatisfy { use in
                var node: Syntax? = Syntax(use)
                while let current = node {
                    if idle.contains(current.id) || sites[current.id] != nil || idleFunctions.contains(current.id) {
                        return true
                    }
                    node = current.parent
                }
                return false
            }
        }
    }

    private func isIdle(_ item: CodeBlockItemSyntax, _ properties: Set<String>, _ names: Set<String>) -> Bool {
        if let assignment = AssignmentNode(item), let name = assignment.property, properties.contains(name) {
            return assignment.value.first?.is(NilLiteralExprSyntax.self) ?? false
        }
        if let name = calledFunction(item), names.contains(name) { return true }
        let expression = item.item.withoutEffects
        if let (_, base, name) = expression.memberCall {
            if let root = base.rootName, properties.contains(root) { return ["cancel", "removeAll"].contains(name) }
            if base.is(SuperExprSyntax.self) { return Self.lifecycle.contains(name) }
        }
        return activatesClient(item)
    }

    private static let lifecycle: Set<String> = ["onAppear", "onDisappear", "viewDidAppear", "viewDidDisappear"]

    /// The orchestrator activates and deactivates clients: `Task { await client.deactivate() }` did.
    private func activatesClient(_ item: CodeBlockItemSyntax) -> Bool {
        var inner = item
        if let call = item.item.as(FunctionCallExprSyntax.self), call.calledExpression.lastName == "Task",
            let only = call.trailingClosure?.statements.first, call.trailingClosure?.statements.count == 1
        {
            inner = only
        }
        guard let (_, base, name) = inner.item.withoutEffects.memberCall, ["activate", "deactivate"].contains(name)
        else {
            return false
        }
        return base.rootName.map { context.clients[$0] != nil } ?? false
    }

    /// The method of the context that is the whole statement: `await startObservation()`.
    private func calledFunction(_ item: CodeBlockItemSyntax) -> String? {
        guard let call = item.item.withoutEffects.as(FunctionCallExprSyntax.self) else { return nil }
        if let name = call.calledExpression.as(DeclReferenceExprSyntax.self) { return name.baseName.text }
        guard let (_, base, name) = call.memberCall, base.rootName == "self" else { return nil }
        return name
    }
}
