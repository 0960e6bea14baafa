// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let registryToRegistration = Recipe(
        "registry-to-registration",
        "Registers components with an Orchestrator, in place of a registry and factories of contexts."
    ) { project, changes in
        for type in changes.file.types where project.orchestrators.contains(type.name) && project.isOld(type.name) {
            guard type.kind == .class else { continue }
            changes.register(type, project)
        }
        for call in changes.file.tree.all(FunctionCallExprSyntax.self) where !isInComponent(call, project) {
            guard call.calledExpression.lastName == "createContext",
                call.calledExpression.is(MemberAccessExprSyntax.self)
            else { continue }
            changes.note(
                call,
                "Only the orchestrator makes contexts: mount a presentation with PresentationHost.",
                section: "views"
            )
        }
        changes.noteOldInitializers(project)
    }

    private static func isInComponent(_ call: FunctionCallExprSyntax, _ project: MigrationFacts) -> Bool {
        guard let name = call.enclosing(ClassDeclSyntax.self)?.name.text else { return false }
        return project.contexts[name] != nil || project.orchestrators.contains(name)
    }
}

extension Changes {
    private static let oldTypes: Set<String> = ["ContextRegistry", "ContextFactory", "ContextGraph"]
    private static let oldNames: Set<String> = ["rootContexts", "contextRegistry", "contextFactories"]

    fileprivate mutating func register(_ type: TypeNode, _ project: MigrationFacts) {
        guard type.inherits("Orchestrator") else { return }
        let calls = RegistrationCalls(type, file, project)
        replaceInherited(type, "Orchestrator", with: [])
        if type.inherits("ObservableObject") { replaceInherited(type, "ObservableObject", with: []) }
        replaceRegistry(of: type)
        dropFactories(of: type, project)
        for (call, text) in calls.replacements { replace(call, with: text) }
        let rest = calls.missing.map(\.text)
        for note in calls.missing.compactMap(\.problem) { self.note(type.keyword, note) }
        addRegistrations(rest, to: type)
        note(
            type.keyword,
            "Start the application with try await orchestrator.start(), and show presentations with PresentationHost.",
            section: "views"
        )
    }

    private mutating func replaceRegistry(of type: TypeNode) {
        let text = "\(type.access)let orchestrator = Orchestrator()"
        if let registry = type.variables.first(where: { $0.name == "capabilityRegistry" }) {
            replace(registry.node, with: text)
        } else if !type.variables.contains(where: { $0.name == "orchestrator" }) {
            addFirst([text], to: type)
        }
    }

    private mutating func dropFactories(of type: TypeNode, _ project: MigrationFacts) {
        for variable in type.variables where variable.isStored {
            let names = (variable.type?.names ?? []).union([variable.typeName].compactMap(\.self))
            let isCache = names.contains { project.clients[$0] != nil || project.contexts[$0] != nil }
            if Self.oldNames.contains(variable.name) || !names.isDisjoint(with: Self.oldTypes) || isCache {
                remove(variable.node)
            }
        }
        for function in type.functions {
            let result = function.signature.returnClause?.type.lastName
            let makesComponent = result.map { project.clients[$0] != nil || project.contexts[$0] != nil } ?? false
            guard makesComponent || ["createContext", "registerContextFactory"].contains(function.name.text) else {
                continue
            }
            remove(function)
            if makesComponent {
                note(
                    type.keyword,
                    "\(function.name.text) made a \(result ?? "component"): the orchestrator makes it now."
                )
            }
        }
    }

    private mutating func addRegistrations(_ lines: [String], to type: TypeNode) {
        guard !lines.isEmpty else { return }
        guard let initializer = type.initializers.first, let body = initializer.body, let last = body.items.last else {
            return add(["\(type.access)init() {"] + lines.map { "    " + $0 } + ["}"], to: type)
        }
        let indentation = file.indentation(of: last)
        insert(lines.map { "\n" + indentation + $0 }.joined(), afterLineOf: last)
    }
}

/// The registrations of an application.
private struct RegistrationCalls {
    struct Missing {
        var text: String
        var problem: String?
    }

    /// Calls of the registry and of factories, and what stands for them now.
    private(set) var replacements: [(FunctionCallExprSyntax, String)] = []
    /// Components that the application has and nothing registers.
    private(set) var missing: [Missing] = []

    init(_ type: TypeNode, _ file: ParsedFile, _ project: MigrationFacts) {
        var registered: Set<String> = []
        for call in type.node.all(FunctionCallExprSyntax.self) {
            if let (_, base, name) = call.memberCall, name == "register", base.lastName == "capabilityRegistry",
                let made = call.arguments.first?.expression.as(FunctionCallExprSyntax.self),
                let component = made.calledExpression.lastName, project.capabilities.contains(component)
            {
                registered.insert(component)
                let extra = Self.arguments(made, of: component, project).map(\.text)
                replacements.append((call, Self.text("orchestrator", component, extra, project)))
            } else if call.calledExpression.lastName == "registerContextFactory",
                let context = call.arguments.first?.expression.as(MemberAccessExprSyntax.self)?.base?.lastName,
                project.contexts[context] != nil
            {
                registered.insert(context)
                replacements.append((call, Self.text("orchestrator", context, [], project)))
            }
        }
        // The first one of several orchestrators registers the rest.
        guard project.orchestrators.min() == type.name else { return }
        let names = project.clients.keys.sorted() + project.contexts.keys.sorted()
        let made = type.node.all(FunctionCallExprSyntax.self)
        for name in names where !registered.contains(name) && project.types[name]?.kind != .protocol {
            missing.append(Self.registration(of: name, made, project))
        }
    }

    private static func registration(
        of name: String,
        _ made: [FunctionCallExprSyntax],
        _ project: MigrationFacts
    ) -> Missing {
        let call = made.first { $0.calledExpression.lastName == name }
        let arguments = call.map { Self.arguments($0, of: name, project) } ?? []
        let open = (project.types[name]?.initializers.first ?? []).filter { parameter in
            !parameter.hasDefault && !isResolved(parameter, of: name, project)
                && !arguments.contains { $0.label == parameter.label }
        }
        let text = Self.text("orchestrator", name, arguments.map(\.text), project)
        guard !open.isEmpty else { return Missing(text: text) }
        let labels = open.map(\.label).joined(separator: ", ")
        return Missing(text: text, problem: "The registration of \(name) lacks arguments: \(labels).")
    }

    /// The arguments of a call that are no components, which a scope resolves.
    private static func arguments(
        _ call: FunctionCallExprSyntax,
        of name: String,
        _ project: MigrationFacts
    ) -> [(label: String, text: String)] {
        let parameters = project.types[name]?.initializers.first ?? []
        return call.arguments.compactMap { argument in
            let label = argument.label?.text ?? "_"
            if let parameter = parameters.first(where: { $0.label == label }), isResolved(parameter, of: name, project)
            {
                return nil
            }
            return (label, argument.with(\.trailingComma, nil).code)
        }
    }

    private static func isResolved(_ parameter: TypeFacts.Parameter, of name: String, _ project: MigrationFacts) -> Bool
    {
        if project.contexts[name] != nil, ["orchestrator", "parent"].contains(parameter.label) { return true }
        guard let type = parameter.type else { return false }
        return project.capabilities.contains(type) || project.clients[type] != nil || project.contexts[type] != nil
    }

    private static func text(_ base: String, _ name: String, _ arguments: [String], _ project: MigrationFacts) -> String
    {
        let call = "\(name)(" + (["$0"] + arguments).joined(separator: ", ") + ")"
        return "\(base).register(\(name).self) { \(resolves(name, project) ? "try " : "")\(call) }"
    }

    /// Whether the initializer throws, because it resolves something.
    private static func resolves(_ name: String, _ project: MigrationFacts) -> Bool {
        if let context = project.contexts[name] {
            let parameters = project.types[name]?.initializers.first ?? []
            let children = parameters.contains { $0.type.map { project.contexts[$0] != nil } ?? false }
            return !context.clients.isEmpty || !context.contexts.isEmpty || children
        }
        return !(project.heldCapabilities(of: name) ?? [:]).isEmpty
    }
}
