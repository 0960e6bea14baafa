// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

extension ScopeRules {
    // `FactsReader+HandedOut.swift` finds the place at which a closure hands the instance out.
    static let capabilityEscapes = Rule(
        id: "capability-escapes",
        summary: "The instance of a capability leaves the closure to which `call` lends it.",
        rationale: """
            Outside of `call` an instance has no recovery, is not measured, keeps no error on its path, and is used after another one \
            has replaced it. Call it inside of the closure, return what it answers, and keep the reference.
            """,
        severity: .error
    ) { project, findings in
        for file in project.files.indices {
            let facts = project.files[file]
            let closures = facts.closures.compactMap { closure in
                closure.handedOut.flatMap { place in closure.call.map { (call: facts.calls[$0], place: place) } }
            }
            let paths = facts.calls.compactMap { call in call.returnsLent.map { (call: call, place: $0) } }
            for (call, place) in closures + paths where project.isCapabilityReference(of: call, in: file) {
                let owner = project.type(declaredBy: call.site.declaration, in: file)
                let name = owner.map { project.displayName(of: project.types[$0]) } ?? facts.path
                findings.report(
                    at: project.span(place, in: file),
                    "`\(call.name)` lends the instance for the time of its closure, which hands it out here. Return what it answers.",
                    identity: "\(name).\(project.name(of: call.site, file))/\(call.callee)"
                )
            }
        }
    }
}

extension ProjectFacts {
    /// Whether the function of a call is one of a `CapabilityRef`.
    fileprivate func isCapabilityReference(of call: Call, in file: Int) -> Bool {
        // `scope.capability(Clock.self).call { … }`
        if call.base.hasSuffix("()") { return resolvesCapability(at: call.whole, in: file) }
        return isCapabilityReference(call.base, call.site, file, depth: 0)
    }

    private func isCapabilityReference(_ path: String, _ site: Site, _ file: Int, depth: Int) -> Bool {
        guard !path.isEmpty, depth < 8 else { return false }
        let name = path.lastName
        guard name == path else {
            // A property of another value: all that have the name are references, if one is.
            let types = files.indices.flatMap { other in
                files[other].declarations.enumerated().flatMap { index, declaration in
                    declaration.properties.filter { $0.name == name }.map {
                        isReference($0.type, other, Site(declaration: index))
                    }
                }
            }
            return !types.isEmpty && !types.contains(false)
        }
        let chain = functionChain(of: site, in: file)
        let locals = files[file].locals.filter { $0.name == name && chain.contains($0.site.function ?? -1) }
        if let local = locals.last {
            if let type = local.type { return isReference(type, file, local.site) }
            guard let value = local.value else { return false }
            guard value.path.isEmpty else {
                return value.path != name && isCapabilityReference(value.path, local.site, file, depth: depth + 1)
            }
            return resolvesCapability(at: value.span, in: file)
        }
        for function in chain {
            let parameters = files[file].functions[function].parameters
            if let found = parameters.first(where: { $0.name == name }) { return isReference(found.type, file, site) }
        }
        if let type = type(declaredBy: site.declaration, in: file), let found = property(name, of: types[type]) {
            return isReference(found.property.type, found.place.file, Site(declaration: found.place.declaration))
        }
        return false
    }

    private func isReference(_ type: TypeReference?, _ file: Int, _ site: Site) -> Bool {
        guard var type else { return false }
        while type.name == "Optional", let inner = type.arguments.first { type = inner }
        return roles(of: type, in: file, at: site).contains(.capabilityReference)
    }

    /// Whether an expression begins with a call that resolves a capability from a scope.
    private func resolvesCapability(at span: FactSpan, in file: Int) -> Bool {
        files[file].calls.contains { $0.name == "capability" && span.contains($0.whole) }
    }
}
