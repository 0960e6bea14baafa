// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

extension DependencyRules {
    static let componentMadeByHand = Rule(
        id: "component-made-by-hand",
        summary: "A component is made outside of a factory, or has an initializer for that.",
        rationale: """
            Only the orchestrator makes components: it knows their life, their dependencies and their errors. Register a factory, \
            and resolve the component from a scope.
            """,
        severity: .error
    ) { project, findings in
        let components = project.types.indices.filter { project.roles(of: $0).contains(.component) }
        for index in components { reportInitializers(of: project.types[index], project, &findings) }
        // Almost no call makes one of these.
        let names = Set(components.map { project.types[$0].path.lastName } + ["Self"])
        for file in project.files.indices {
            let calls = project.files[file].calls
            for place in calls.indices {
                guard let made = calls[place].made, made.form != .named || names.contains(made.lastName),
                    case .project(let index) = project.nominal(project.resolve(made, in: file, at: calls[place].site)),
                    project.roles(of: index).contains(.component), project.takesScope(project.types[index])
                else { continue }
                let call = calls[place]
                guard
                    !KnownTypes.modules.contains(project.types[index].module),
                    project.type(declaredBy: call.site.declaration, in: file) != index,
                    !project.isFactory(call, in: file)
                else { continue }
                let name = project.displayName(of: project.types[index])
                findings.report(
                    at: project.span(call.span, in: file),
                    "\(name) is made by hand. Register a factory, and resolve it from a scope.",
                    identity: "\(project.files[file].path)/\(name)"
                )
            }
        }
    }

    /// Initializers without a scope, beside one that has it: what they store as the identity is that of another component. Those
    /// that only the type itself sees are parts of others, and those that call another initializer leave it to that.
    private static func reportInitializers(
        of type: ProjectType,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        guard !KnownTypes.modules.contains(type.module), !project.isTest(type), project.takesScope(type) else { return }
        let name = project.displayName(of: type)
        for place in type.places {
            for number in project.functions(place) {
                let function = project.files[place.file].functions[number]
                let site = Site(declaration: place.declaration, function: number)
                let isHidden = ["private", "fileprivate"].contains { function.modifiers.contains($0) }
                guard function.kind == .initializer, function.body != nil, !isHidden,
                    project.scopeNames(at: site, in: place.file).isEmpty,
                    !project.files[place.file].calls.contains(where: { $0.site == site && $0.callee == "init" })
                else { continue }
                let labels = function.parameters.map { ($0.label.isEmpty ? "_" : $0.label) + ":" }.joined()
                findings.report(
                    at: project.span(function.span, in: place.file),
                    "This initializer of \(name) takes no scope, so no orchestrator makes it. Remove it, or give it the scope.",
                    identity: "\(name).init(\(labels))"
                )
            }
        }
    }
}

extension ProjectFacts {
    /// Whether a type has an initializer with a scope. One without, such as a wrapper, cannot be registered.
    func takesScope(_ type: ProjectType) -> Bool {
        type.places.contains { place in
            functions(place).contains { index in
                let function = files[place.file].functions[index]
                return function.kind == .initializer
                    && !scopeNames(at: Site(declaration: place.declaration, function: index), in: place.file).isEmpty
            }
        }
    }

    /// Whether a call that makes a component does so for an orchestrator: it stands in a factory, or passes a scope on.
    func isFactory(_ call: Call, in file: Int) -> Bool {
        let factories: Set = ["register", "override", "simulate"]
        if callsAround(call.site, in: file).contains(where: { factories.contains($0.name) }) { return true }
        if call.arguments.contains("$0") { return true }
        let scopes = scopeNames(at: call.site, in: file)
        return call.arguments.contains { scopes.contains($0) }
    }

    /// Functions whose closures get elements.
    private static let sequenceFunctions: Set = [
        "map", "compactMap", "flatMap", "filter", "forEach", "contains", "reduce",
    ]

    /// The parameters around a place that are scopes.
    func scopeNames(at site: Site, in file: Int) -> Set<String> {
        var names: Set<String> = []
        for index in functionChain(of: site, in: file) {
            for parameter in files[file].functions[index].parameters {
                guard let type = parameter.type else { continue }
                let inner = Site(declaration: site.declaration, function: index)
                if roles(of: type, in: file, at: inner).contains(.scope) { names.insert(parameter.name) }
            }
        }
        var next = site.closure
        while let index = next {
            let closure = files[file].closures[index]
            for parameter in closure.parameters {
                // A closure without types, such as `{ scope in CartClient(scope) }`, makes its one parameter a scope.
                let isScope = parameter.type.map { roles(of: $0, in: file, at: closure.site).contains(.scope) }
                let call = closure.call.map { files[file].calls[$0].name } ?? ""
                let mayBeScope = closure.parameters.count == 1 && !Self.sequenceFunctions.contains(call)
                if isScope ?? mayBeScope { names.insert(parameter.name) }
            }
            next = closure.site.closure
        }
        return names
    }
}
