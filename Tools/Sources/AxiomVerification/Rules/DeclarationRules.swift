// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// How components are declared.
enum DeclarationRules {
    static let all = [mainActorMissing, handlerNotConcurrent, finalMissing, componentNameClash]

    static let mainActorMissing = Rule(
        id: "main-actor-missing",
        summary: "A class that is a context or a presentation is not isolated to the main actor.",
        rationale: """
            The protocol isolates a type to the main actor only if the declaration of the type names it. An extension comes too \
            late for that.
            """,
        severity: .error,
        mended: "a class that is not `nonisolated` and has no other global actor"
    ) { project, findings in
        for (_, type) in project.types(with: .mainActor) where type.kind == .class {
            let declaration = project.declaration(of: type)
            let site = project.site(around: type)
            let comesFromProtocol = declaration.inherited.contains { reference in
                !project.roles(of: reference, in: type.file, at: site).isDisjoint(with: .mainActor)
            }
            let isExcepted = declaration.modifiers.contains("nonisolated")
            let hasActor = declaration.attributes.contains { attribute in
                guard case .project(let index) = project.lookUp(attribute.name, type.file, nil, site) else {
                    return false
                }
                return project.declaration(of: project.types[index]).has(attribute: "globalActor")
            }
            guard !declaration.has(attribute: "MainActor"), !comesFromProtocol || isExcepted else { continue }
            let indent = String(repeating: " ", count: project.span(declaration.whole, in: type.file).start.column - 1)
            let start = Int(declaration.whole.start)
            let edit = Edit(replacing: start..<start, with: "@MainActor\n\(indent)")
            let name = project.displayName(of: type)
            findings.report(
                at: project.span(declaration.span, in: type.file),
                "\(name) is not isolated to the main actor. Declare it `@MainActor`.",
                identity: name,
                fix: isExcepted || hasActor ? nil : Fix("Add @MainActor", edits: [edit], safety: .safe)
            )
        }
    }

    static let handlerNotConcurrent = Rule(
        id: "handler-not-concurrent",
        summary: "A request handler is isolated to the main actor, or is a class with a variable.",
        rationale: """
            One handler serves many requests at once. On the main actor they wait for each other and for all contexts. A variable is \
            one for all of them: let a client own what changes.
            """,
        severity: .error
    ) { project, findings in
        for (_, type) in project.types(with: .handler) {
            let name = project.displayName(of: type)
            for (file, span) in project.placesOnMainActor(of: type) {
                findings.report(
                    at: project.span(span, in: file),
                    "\(name) serves its requests on the main actor, where they wait for each other. Remove the isolation.",
                    identity: name
                )
            }
            for (place, property) in project.properties(of: type)
            where property.isUnguarded(in: type.kind) {
                findings.report(
                    at: project.span(property.span, in: place.file),
                    "All requests of \(name) share the variable `\(property.name)`. Let a client own what changes.",
                    identity: "\(name).\(property.name)"
                )
            }
        }
    }

    static let finalMissing = Rule(
        id: "final-missing",
        summary: "A class that is a component is not final.",
        rationale:
            "A subclass would be another component with the identity and the dependencies of this one. Share by functions.",
        severity: .warning,
        mended: "a class that no judged class inherits from"
    ) { project, findings in
        let parents = project.superclasses
        for (index, type) in project.types(with: [.component, .presentation]) where type.kind == .class {
            let declaration = project.declaration(of: type)
            guard !declaration.modifiers.contains("final"), !declaration.modifiers.contains("open") else { continue }
            let start = Int(declaration.keyword.start)
            let edit = Edit(replacing: start..<start, with: "final ")
            let name = project.displayName(of: type)
            findings.report(
                at: project.span(declaration.span, in: type.file),
                "\(name) is not final. Declare it `final`.",
                identity: name,
                // A class that was not read, such as one of the tests, may inherit from this one.
                fix: parents.contains(index) ? nil : Fix("Add final", edits: [edit], safety: .review)
            )
        }
    }

    static let componentNameClash = Rule(
        id: "component-name-clash",
        summary: "Two components have one name.",
        rationale:
            "Metrics, errors and graphs then name both with their modules. Rename one, or declare its `componentName`.",
        severity: .warning
    ) { project, findings in
        var first: [String: ProjectType] = [:]
        for (_, type) in project.types(with: [.component, .presentation]) {
            let declaration = project.declaration(of: type)
            guard !project.isTest(type), !declaration.isFilePrivate, !declaration.isLocal, !declaration.isConditional,
                !project.properties(of: type).contains(where: { $0.property.name == "componentName" })
            else { continue }
            guard let other = first[declaration.name] else {
                first[declaration.name] = type
                continue
            }
            let location = project.span(project.declaration(of: other).span, in: other.file)
            findings.report(
                at: project.span(declaration.span, in: type.file),
                "There is another component with the name \(declaration.name). Rename one, or declare its `componentName`.",
                notes: [.init("The other component", at: location)],
                identity: project.displayName(of: type)
            )
        }
    }
}

extension Property {
    /// Whether nothing isolates a stored variable of an instance. One with an attribute may be guarded by its wrapper.
    fileprivate func isUnguarded(in kind: Declaration.Kind) -> Bool {
        guard isStored, isVariable, !isStatic, attributes.allSatisfy({ $0.name == "MainActor" }) else { return false }
        return kind != .actor || modifiers.contains("nonisolated(unsafe)")
    }
}

extension ProjectFacts {
    /// Where a type, its conformance, an extension of it, or one of its functions that serve a request has `@MainActor`.
    fileprivate func placesOnMainActor(of type: ProjectType) -> [(file: Int, span: FactSpan)] {
        let serving: Set = ["handle", "recover"]
        return type.places.flatMap { place in
            let declaration = declaration(place)
            if declaration.has(attribute: "MainActor") { return [(place.file, declaration.span)] }
            let conformances = declaration.inherited.filter { $0.attributes.contains("MainActor") }.map(\.span)
            let functions = functions(place).map { files[place.file].functions[$0] }.filter {
                $0.isOnMainActor && serving.contains($0.name)
            }
            return (conformances + functions.map(\.span)).map { (place.file, $0) }
        }
    }
}

/// What ``ProjectFacts/superclasses`` found.
private struct Superclasses {
    let types: Set<Int>
}

extension ProjectFacts {
    /// The classes that other classes inherit from.
    var superclasses: Set<Int> {
        if let known = memo[Superclasses.self] { return known.types }
        var parents: Set<Int> = []
        for type in types where type.kind == .class {
            for reference in declaration(of: type).inherited {
                if case .project(let parent) = resolve(reference, in: type.file, at: site(around: type)) {
                    parents.insert(parent)
                }
            }
        }
        memo[Superclasses.self] = Superclasses(types: parents)
        return parents
    }
}
