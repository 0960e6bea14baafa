// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let contextLifecycle = Recipe(
        "context-lifecycle",
        "Puts contexts on the main actor, and renames the methods of their life."
    ) { project, changes in
        for type in changes.file.types {
            guard let context = project.contexts[type.name], context.dialect.isOld else { continue }
            if type.kind == .class, !type.hasAttribute("MainActor") {
                changes.insert("@MainActor\n" + changes.file.indentation(of: type.begin), before: type.begin)
            }
            for function in type.functions { changes.renameLifecycle(function, of: type) }
        }
    }

    static let observableForPublished = Recipe(
        "observable-for-published",
        "Makes contexts @Observable, without @Published and ObservableObject."
    ) { project, changes in
        for type in changes.file.types {
            guard let context = project.contexts[type.name], context.dialect.isOld, type.kind == .class else {
                continue
            }
            changes.makeObservable(type)
        }
    }

    static let createContextToScope = Recipe(
        "create-context-to-scope",
        "Gives contexts an initializer that takes a scope, from which they get their clients and contexts."
    ) { project, changes in
        for type in changes.file.types {
            guard let context = project.contexts[type.name], context.dialect.isOld, type.kind == .class else {
                continue
            }
            changes.noteStateReads(in: type, context, project)
            changes.useScope(in: type, context, project)
        }
    }
}

extension Changes {
    private static let renamed = ["viewDidAppear": "onAppear", "viewDidDisappear": "onDisappear"]
    private static let lifecycle: Set<String> = ["onAppear", "onDisappear", "onBackground", "onForeground"]

    fileprivate mutating func renameLifecycle(_ function: FunctionDeclSyntax, of type: TypeNode) {
        let name = function.name.text
        if let new = Self.renamed[name], function.signature.parameterClause.parameters.isEmpty {
            rename(function.name, to: new)
            addEffects(function)
            removeModifier("override", of: function.modifiers)
        } else if Self.lifecycle.contains(name) {
            removeModifier("override", of: function.modifiers)
        } else if name == "send", function.signature.parameterClause.parameters.count == 1 {
            rename(function.name, to: "handle")
            addEffects(function, throws: true)
            if let clause = function.body?.all(CatchClauseSyntax.self).first {
                note(
                    clause,
                    "\(type.name) keeps its errors: let handle throw, and read errorBoundary where the error is shown."
                )
            }
        }
    }

    fileprivate mutating func makeObservable(_ type: TypeNode) {
        guard !type.hasAttribute("Observable") else { return }
        insert("@Observable\n" + file.indentation(of: type.begin), before: type.begin)
        for variable in type.variables {
            if let attribute = variable.attribute("Published") {
                removeWord(attribute)
            } else if variable.isStored, variable.node.modifiers.contains(where: { $0.name.text == "lazy" }) {
                insert("@ObservationIgnored ", before: variable.node.modifiers)
            }
        }
        replaceInherited(type, "ObservableObject", with: [])
        for name in type.node.all(DeclReferenceExprSyntax.self) where name.baseName.text == "objectWillChange" {
            note(name, "Nothing announces changes by hand any more: change a property.")
        }
        addImport("Observation")
        dropCombine()
    }

    /// Removes the import of Combine, if the file used it for what goes only.
    private mutating func dropCombine() {
        guard let node = file.imports.first(where: { $0.module == "Combine" })?.node else { return }
        let names: Set<String> = [
            "AnyCancellable", "Cancellable", "Publisher", "AnyPublisher", "PassthroughSubject", "CurrentValueSubject",
            "Just",
            "Future", "Subscribers", "Publishers", "sink", "assign", "receive",
        ]
        let used = Set(file.tree.tokens(viewMode: .sourceAccurate).compactMap { $0.identifier?.name })
        let others = file.types.filter { $0.inherits("ObservableObject") && !$0.inherits("Context") }
        if used.isDisjoint(with: names), others.isEmpty { remove(node) }
    }

    fileprivate mutating func useScope(in type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) {
        guard !type.variables.contains(where: { $0.name == "identity" }) else { return }
        let made = childrenMade(in: type)
        var held = context.contexts
        for (_, child) in made where !held.values.contains(child) { held[child.uncapitalizedFirst] = child }
        dropOldProperties(of: type)
        for variable in type.variables { referToClient(variable, project) }
        let children = downstream(of: type, context, project)
        for (name, child) in children where held[name] == nil { held[name] = child }
        let added = held.filter { name, _ in context.contexts[name] == nil }
        scopeInitializer(
            type,
            ScopePlan(
                scope: "ContextScope",
                resolve: { Self.resolve($0, project) },
                dropped: ["orchestrator", "parent", "contextId", "downstreamContexts"],
                assignments: added.sorted { $0.key < $1.key }.map { "\($0.key) = try scope.context(\($0.value).self)" }
                    + missing(in: type, context, project)
            )
        )
        declare(held.filter { name, _ in !type.variables.contains { $0.name == name } }, in: type)
        for (call, child) in made {
            guard let name = held.first(where: { $0.value == child })?.key else { continue }
            replace(call, with: name)
            note(call, "\(type.name) has one \(child), made with it, in place of a new one for each call.")
        }
    }

    private static func resolve(_ name: String, _ project: MigrationFacts) -> String? {
        if project.clients[name] != nil { return "scope.client(\(name).self)" }
        return project.contexts[name] != nil ? "scope.context(\(name).self)" : nil
    }

    /// `orchestrator.createContext(Child.self, parent: self)` in the methods of a context.
    private func childrenMade(in type: TypeNode) -> [(FunctionCallExprSyntax, String)] {
        type.node.all(FunctionCallExprSyntax.self).compactMap { call in
            guard let (_, base, name) = call.memberCall, name == "createContext", base.rootName == "orchestrator",
                let argument = call.arguments.first?.expression.as(MemberAccessExprSyntax.self),
                argument.declName.baseName.text == "self", let child = argument.base?.lastName
            else { return nil }
            return (call, child)
        }
    }

    private mutating func dropOldProperties(of type: TypeNode) {
        for variable in type.variables where !variable.isStatic {
            switch variable.name {
            case "orchestrator", "contextId", "downstreamContexts", "upstreamContexts", "parent": remove(variable.node)
            default: break
            }
        }
    }

    /// Contexts hold clients by what these do, so that a test can put another in its place.
    private mutating func referToClient(_ variable: VariableNode, _ project: MigrationFacts) {
        guard let annotation = variable.type, let name = annotation.lastName, let client = project.clients[name],
            annotation.is(IdentifierTypeSyntax.self)
        else { return }
        rename(
            annotation,
            to: client.state == nil ? "any StatelessClient<\(client.action ?? "NoAction")>" : "ClientOf<\(name)>"
        )
    }

    /// The contexts that an initializer puts into `downstreamContexts`, by parameter.
    private func downstream(of type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) -> [String: String] {
        guard let initializer = type.initializers.first else { return [:] }
        var result: [String: String] = [:]
        for parameter in initializer.signature.parameterClause.parameters {
            let name = (parameter.secondName ?? parameter.firstName).text
            guard let type = parameter.type.lastName, project.contexts[type] != nil else { continue }
            let isAssigned = initializer.body?.items.contains { AssignmentNode($0)?.valueName == name } ?? false
            if !isAssigned, context.contexts[name] == nil { result[name] = type }
        }
        return result
    }

    private mutating func declare(_ contexts: [String: String], in type: TypeNode) {
        addFirst(contexts.sorted { $0.key < $1.key }.map { "let \($0.key): \($0.value)" }, to: type)
    }

    /// The assignments that an initializer needs if the context has none: of clients without a value.
    private func missing(in type: TypeNode, _ context: ContextFacts, _ project: MigrationFacts) -> [String] {
        guard type.initializers.isEmpty else { return [] }
        let pairs = context.clients.merging(context.contexts) { first, _ in first }.sorted { $0.key < $1.key }
        return pairs.compactMap { name, held in
            guard type.variables.contains(where: { $0.name == name && $0.value == nil }) else { return nil }
            return Self.resolve(held, project).map { "\(name) = try \($0)" }
        }
    }
}

extension String {
    var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }
}
