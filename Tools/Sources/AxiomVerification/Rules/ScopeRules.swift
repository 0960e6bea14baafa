// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// A scope is the input of one component, while it is made.
enum ScopeRules {
    static let all = [capabilityEscapes, identityNotStored, scopeKept]

    static let identityNotStored = Rule(
        id: "identity-not-stored",
        summary: "A component stores another identity than the one of its scope.",
        rationale:
            "The identity proves that the orchestrator made the component. The orchestrator refuses another one.",
        severity: .error,
        mayBeBaselined: false,
        mended: "an initializer that stores another value. Not a property with a value of its own"
    ) { project, findings in
        for (_, type) in project.types(with: .component) where project.takesScope(type) {
            let name = project.displayName(of: type)
            for (place, property) in project.properties(of: type) where property.name == "identity" {
                guard !property.isStatic, property.isComputed || property.initial != nil else { continue }
                findings.report(
                    at: project.span(property.span, in: place.file),
                    "\(name) makes up its identity. Store `scope.identity` in the initializer.",
                    identity: "\(name).identity"
                )
            }
            for (file, _, assignment) in project.facts(\.assignments, of: type) where assignment.target == "identity" {
                judge(assignment, name, file, project, &findings)
            }
        }
    }

    static let scopeKept = Rule(
        id: "scope-kept",
        summary: "A scope is kept, used in a closure that escapes, or passed to another component.",
        rationale: """
            A scope resolves what one component depends on, while it is made. Resolve the dependencies in the initializer and keep \
            those.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        for file in project.files.indices where !KnownTypes.modules.contains(project.files[file].module) {
            reportProperties(file, project, &findings)
            // Calls of one function follow each other.
            var known: (site: Site, scopes: Set<String>) = (Site(), [])
            let calls = project.files[file].calls
            for index in calls.indices {
                guard let function = calls[index].site.function else { continue }
                let site = Site(declaration: calls[index].site.declaration, function: function)
                if site != known.site { known = (site, project.functionScopes(function, site, file)) }
                if !known.scopes.isEmpty { judge(calls[index], known.scopes, file, project, &findings) }
            }
        }
    }
}

extension ScopeRules {
    private static func judge(
        _ assignment: Assignment,
        _ name: String,
        _ file: Int,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        guard let function = assignment.site.function, assignment.site.closure == nil,
            project.files[file].functions[function].kind == .initializer
        else { return }
        let scopes = project.scopeNames(at: assignment.site, in: file)
        let path = assignment.value.path
        // A name alone may be a variable with the identity of the scope.
        let isAlias = !path.isEmpty && !path.contains(".")
        guard let scope = scopes.sorted().first, !isAlias, !scopes.contains(where: { path == $0 + ".identity" }) else {
            return
        }
        let edit = Edit(replacing: assignment.value.span.offsets, with: "\(scope).identity")
        findings.report(
            at: project.span(assignment.value.span, in: file),
            "\(name) stores another identity than the one of its scope. Store `\(scope).identity`.",
            identity: "\(name).identity",
            fix: Fix("Store the identity of the scope", edits: [edit], safety: .safe)
        )
    }

    private static func reportProperties(_ file: Int, _ project: ProjectFacts, _ findings: inout Findings) {
        for (index, declaration) in project.files[file].declarations.enumerated() {
            for property in declaration.properties where property.isStored {
                guard let type = property.type,
                    project.mentions(in: type, file: file, at: Site(declaration: index)).contains(where: {
                        $0.roles.contains(.scope)
                    })
                else { continue }
                findings.report(
                    at: project.span(property.span, in: file),
                    "`\(property.name)` keeps a scope. Resolve the dependencies in the initializer and keep those.",
                    identity: "\(declaration.name).\(property.name)"
                )
            }
        }
    }

    /// - Parameter parameters: The scopes among the parameters of the function around the call.
    private static func judge(
        _ call: Call,
        _ parameters: Set<String>,
        _ file: Int,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        let roots = ([call.base] + call.arguments).compactMap { $0.split(separator: ".").first.map(String.init) }
        let owner = project.type(declaredBy: call.site.declaration, in: file)
        let ownerName = owner.map { project.displayName(of: project.types[$0]) } ?? ""
        let identity = ownerName + "." + project.name(of: call.site, file)
        if let name = roots.first(where: { parameters.contains($0) }),
            project.isInEscapingClosure(call.site, name, file)
        {
            findings.report(
                at: project.span(call.span, in: file),
                "The closure runs after `\(name)` has ended. Resolve what it needs before the closure.",
                identity: "\(identity)/\(call.name)"
            )
        } else if let name = call.arguments.first(where: { parameters.contains($0) }), let made = call.made,
            case .project(let target) = project.resolve(made, in: file, at: call.site), target != owner,
            let owner, project.roles(of: owner).contains(.component), project.roles(of: target).contains(.component),
            // A capability may surround another one, which then has its identity and its dependencies.
            !project.roles(of: owner).intersection(project.roles(of: target)).contains(.capability)
        {
            let targetName = project.displayName(of: project.types[target])
            findings.report(
                at: project.span(call.span, in: file),
                "`\(name)` belongs to \(ownerName). Resolve \(targetName) from it instead of making it.",
                identity: "\(identity)/\(targetName)"
            )
        }
    }
}

extension ProjectFacts {
    /// The scopes among the parameters of a function.
    func functionScopes(_ function: Int, _ site: Site, _ file: Int) -> Set<String> {
        let parameters = files[file].functions[function].parameters
        guard !parameters.isEmpty else { return [] }
        let scopes = parameters.filter { parameter in
            parameter.type.map { roles(of: $0, in: file, at: site).contains(.scope) } ?? false
        }
        return Set(scopes.map(\.name))
    }

    /// Whether a place is in a closure that runs later: one of a task, of `observe`, or one that is stored. A parameter of
    /// the closure with the name hides the scope.
    func isInEscapingClosure(_ site: Site, _ name: String, _ file: Int) -> Bool {
        let later: Set = ["Task", "Task.detached", "observe"]
        var next = site.closure
        while let index = next {
            let closure = files[file].closures[index]
            if closure.parameters.contains(where: { $0.name == name }) { return false }
            guard let call = closure.call else { return true }
            if later.contains(files[file].calls[call].callee) { return true }
            next = closure.site.closure
        }
        return false
    }
}
