// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// What a component uses is what its scope gave it.
enum AmbientRules {
    static let all = [hiddenDependency, clientNavigates]

    static let hiddenDependency = Rule(
        id: "hidden-dependency",
        summary: "A component uses a singleton, a static variable or a global variable.",
        rationale: """
            A dependency that no scope supplies is not in the graph, cannot be replaced in a test, and is shared without an owner. \
            Make it a capability.
            """,
        severity: .error
    ) { project, findings in
        for (index, type) in project.types(with: [.component, .client, .presentation]) {
            reportVariables(of: type, project, &findings)
            reportStatics(index, type, project, &findings)
            reportGlobals(type, project, &findings)
        }
    }

    static let clientNavigates = Rule(
        id: "client-navigates",
        summary: "A client, a request handler or a presentation navigates.",
        rationale: """
            A context decides what is shown next. A client publishes a state; a presentation sends an action; a request has no screen.
            """,
        severity: .error
    ) { project, findings in
        for (index, type) in project.types(with: [.client, .handler, .presentation]) {
            let isPresentation = project.roles(of: index).contains(.presentation)
            let isHandler = project.roles(of: index).contains(.handler)
            let roles: Roles = isPresentation ? [.navigation, .orchestrator, .presentationHost] : .navigation
            var references = project.memberReferences(of: index)
            for (file, _, use) in project.facts(\.statics, of: type) {
                references.append(project.memberReference(use.type, file, use.site))
            }
            for (file, _, call) in project.facts(\.calls, of: type) {
                if let made = call.made { references.append(project.memberReference(made, file, call.site)) }
            }
            var seen: Set<String> = []
            for reference in references where !reference.roles.isDisjoint(with: roles) {
                let name = project.displayName(of: type)
                let target = project.name(of: reference.resolution, reference.reference)
                guard seen.insert("\(reference.member)/\(target)").inserted else { continue }
                let remedy =
                    isPresentation
                    ? "Send an action to the context"
                    : isHandler ? "Leave that to a context" : "Publish a state, and let a context navigate"
                findings.report(
                    at: project.span(reference.reference.span, in: reference.file),
                    "\(name) navigates with `\(target)`. \(remedy).",
                    identity: "\(name).\(reference.member)/\(target)"
                )
            }
        }
    }
}

extension AmbientRules {
    private static let singletons: Set = ["shared", "default", "standard", "current", "instance"]

    private static func reportVariables(of type: ProjectType, _ project: ProjectFacts, _ findings: inout Findings) {
        for (place, property) in project.properties(of: type) where project.isSharedStatic(property, place) {
            // What a global actor has to have.
            if property.name == "shared", !property.isVariable,
                project.declaration(of: type).has(attribute: "globalActor")
            {
                continue
            }
            let name = project.displayName(of: type)
            let kind = property.isVariable ? "variable" : "constant"
            findings.report(
                at: project.span(property.span, in: place.file),
                "The static \(kind) `\(property.name)` is shared by all instances of \(name). Make it a part of a state or a capability.",
                identity: "\(name).\(property.name)"
            )
        }
    }

    private static func reportStatics(
        _ index: Int,
        _ type: ProjectType,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        let isCapability = project.roles(of: index).contains(.capability)
        var seen: Set<String> = []
        for (file, _, use) in project.facts(\.statics, of: type) {
            let target: String
            switch project.resolve(use.type, in: file, at: use.site) {
            // A capability is what reaches out of the application, also through singletons of the system.
            case .external(let external) where external.roles.contains(.reference) && !isCapability:
                guard singletons.contains(use.member) else { continue }
                target = external.name
            case .project(let owner) where owner != index:
                guard project.isShared(use.member, of: owner) || project.reaches(use.member, of: owner) else {
                    continue
                }
                target = project.displayName(of: project.types[owner])
            default: continue
            }
            let name = project.displayName(of: type)
            let identity = "\(name).\(project.name(of: use.site, file))/\(target).\(use.member)"
            guard seen.insert(identity).inserted else { continue }
            findings.report(
                at: project.span(use.type.span, in: file),
                "\(name) depends on `\(target).\(use.member)`, which no scope supplied. Make it a capability.",
                identity: identity
            )
        }
    }

    private static func reportGlobals(_ type: ProjectType, _ project: ProjectFacts, _ findings: inout Findings) {
        let members = Set(project.properties(of: type).map(\.property.name))
        for (file, _, use) in project.facts(\.names, of: type) where !members.contains(use.name) {
            let isVariable = project.isGlobalVariable(use.name, file)
            guard isVariable || project.globalReaches(use.name, file), !project.isLocal(use.name, use.site, file),
                isVariable || !project.hasFunction(use.name, type)
            else { continue }
            let name = project.displayName(of: type)
            let what =
                isVariable ? "the global variable `\(use.name)`" : "`\(use.name)`, which reaches a global variable"
            findings.report(
                at: project.span(use.span, in: file),
                "\(name) uses \(what). Make it a part of a state or a capability.",
                identity: "\(name).\(project.name(of: use.site, file))/\(use.name)"
            )
        }
    }
}

extension Property {
    /// Whether all code shares the variable. A task-local value is bound to a task, and a computed one is none.
    var isMutableStatic: Bool { isStatic && isMutable }

    /// Whether its value can change: that of a variable, or what a constant box has in it.
    fileprivate var isMutable: Bool {
        isStored && (isVariable || isBox) && !attributes.contains { $0.name == "TaskLocal" }
    }

    /// Whether the value is one whose contents change under a lock, or atomically.
    private var isBox: Bool {
        let boxes: Set = [
            "Mutex", "Atomic", "AtomicLazyReference", "OSAllocatedUnfairLock", "ManagedAtomic", "NIOLockedValueBox",
        ]
        return (type ?? initial?.made).map { boxes.contains($0.lastName) } ?? false
    }
}

extension ProjectFacts {
    /// Whether a static property is a variable, or a constant whose contents change.
    func isSharedStatic(_ property: Property, _ place: ProjectType.Place) -> Bool {
        guard property.isStatic, !property.attributes.contains(where: { $0.name == "TaskLocal" }) else { return false }
        if property.isMutableStatic { return true }
        return isChangingReference(property, place.file, Site(declaration: place.declaration))
    }

    /// Whether a constant is an instance of a class or an actor of the project that has something to change.
    private func isChangingReference(_ property: Property, _ file: Int, _ site: Site) -> Bool {
        guard property.isStored, let reference = property.type ?? property.initial?.made,
            case .project(let index) = resolve(reference, in: file, at: site),
            [.class, .actor].contains(types[index].kind)
        else { return false }
        return properties(of: types[index]).contains { !$0.property.isStatic && $0.property.isMutable }
    }

    /// Whether a static member is a variable, or a shared instance of a class.
    fileprivate func isShared(_ member: String, of owner: Int) -> Bool {
        for (place, property) in properties(of: types[owner]) where property.isStatic && property.name == member {
            if isSharedStatic(property, place) { return true }
            let names: Set = ["shared", "default", "standard", "current", "instance"]
            guard property.isStored, names.contains(member) else { return false }
            let isOwn = property.type == nil && property.initial?.made == nil
            let roles = (property.type ?? property.initial?.made).map {
                self.roles(of: $0, in: place.file, at: Site(declaration: place.declaration))
            }
            return roles?.contains(.reference) ?? (isOwn && self.roles(of: owner).contains(.reference))
        }
        return false
    }

    func isGlobalVariable(_ name: String, _ file: Int) -> Bool {
        guard let declaring = globalFiles[name] else { return false }
        return declaring.contains { other in
            (files[other].module == files[file].module || sees(files[other].module, file))
                && files[other].globals.contains { global in
                    let isVisible =
                        other == file || !["private", "fileprivate"].contains { global.modifiers.contains($0) }
                    guard global.name == name, isVisible else { return false }
                    return global.isMutable || isOwnReference(global, other)
                }
        }
    }

    /// Whether a constant is an instance of a class or an actor of the project.
    private func isOwnReference(_ property: Property, _ file: Int) -> Bool {
        guard property.isStored, let reference = property.type ?? property.initial?.made,
            case .project(let index) = resolve(reference, in: file, at: Site())
        else { return false }
        return [.class, .actor].contains(types[index].kind)
    }

    /// Whether a name is a parameter or a variable around a place.
    func isLocal(_ name: String, _ site: Site, _ file: Int) -> Bool {
        let chain = functionChain(of: site, in: file)
        if chain.contains(where: { files[file].functions[$0].parameters.contains { $0.name == name } }) { return true }
        if files[file].locals.contains(where: { $0.name == name && chain.contains($0.site.function ?? -1) }) {
            return true
        }
        return files[file].closures.contains { closure in
            closure.site.declaration == site.declaration && closure.parameters.contains { $0.name == name }
        }
    }
}
