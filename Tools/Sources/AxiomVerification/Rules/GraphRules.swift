// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Rules about what an application registers and about cycles.
enum GraphRules {
    static let all = [capabilityCycle, contextCycle, registeredNot, registeredTwice]

    static let capabilityCycle = Rule(
        id: "capability-cycle",
        summary: "Capabilities depend on each other in a cycle.",
        rationale: """
            A capability is made after those it depends on, so a cycle of them cannot start: `start()` throws. Move what both need \
            into a third capability.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        report(cyclesOf: .capability, in: project, &findings, "Move what both need into a third capability.")
    }

    static let contextCycle = Rule(
        id: "context-cycle",
        summary: "Contexts contain each other in a cycle, and none of them is registered as recursive.",
        rationale: """
            A context makes those it contains, so a cycle of them never ends: the scope throws. Let a context above both own them, \
            or register one with `recursive: true` if its input ends the recursion.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        report(cyclesOf: .context, in: project, &findings, "Let a context above both own them.")
    }

    private static func report(
        cyclesOf kind: StaticGraph.Kind,
        in project: ProjectFacts,
        _ findings: inout Findings,
        _ remedy: String
    ) {
        let graph = StaticGraph(project)
        // A generic type is several components, of which a node does not know which one it is.
        let generic = project.genericTypes
        let permitted = graph.nodes.indices.filter { number in
            let node = graph.nodes[number]
            return node.mayBeRecursive || generic.contains("\(node.module).\(node.type)")
        }
        for cycle in graph.cycles(of: kind, permitted: Set(permitted)) {
            let names = (cycle + cycle.prefix(1)).map { graph.nodes[$0].name }
            let edges = zip(cycle, cycle.dropFirst() + cycle.prefix(1)).compactMap { graph.edge(from: $0, to: $1) }
            guard let place = edges.first?.places.first else { continue }
            let path = names.joined(separator: " → ")
            findings.report(
                at: place,
                "The \(kind.plural) form a cycle: \(path). \(remedy)",
                notes: edges.dropFirst().compactMap { edge in
                    edge.places.first.map { place in
                        .init("\(graph.nodes[edge.from].name) resolves \(graph.nodes[edge.to].name)", at: place)
                    }
                },
                identity: path
            )
        }
    }

    static let registeredNot = Rule(
        id: "registered-not",
        summary: "A registered component resolves a component of the project that nothing registers.",
        rationale: """
            A scope makes only what is registered, so this throws at the start, or when the screen is shown. Register the \
            component before `start()`.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        guard project.environment.isWhole else { return }
        let composition = Composition(project)
        guard !composition.registersUnknown else { return }
        let registered = Set(composition.registrations.flatMap { [$0.component, $0.exposed] })
        for (owner, use) in composition.uses {
            guard case .project(let index) = use.requested, registered.contains(owner),
                !registered.contains(use.requested)
            else { continue }
            let (name, from) = (project.displayName(of: project.types[index]), project.name(of: owner))
            let method = registration(of: index, named: name, use.kind, project)
            findings.report(
                at: project.span(use.span, in: use.file),
                "\(from) resolves \(name), which nothing registers. Call \(method) before start().",
                notes: [.init("\(name) is declared here", at: project.place(of: index))],
                identity: "\(from)/\(name)"
            )
        }
    }

    /// The call that registers a type: one that is no component itself is what a capability is registered as.
    private static func registration(
        of index: Int,
        named name: String,
        _ kind: StaticGraph.Kind,
        _ project: ProjectFacts
    ) -> String {
        if project.types[index].kind == .protocol { return "register(…, as: (any \(name)).self)" }
        let isExposed = kind == .capability && !project.roles(of: index).contains(.capability)
        return isExposed ? "register(…, as: \(name).self)" : "register(\(name).self)"
    }

    static let registeredTwice = Rule(
        id: "registered-twice",
        summary: "One function registers a type twice with the same orchestrator.",
        rationale: "`start()` throws for a type that was registered twice. Use `override(…)` to replace one in a test.",
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        struct Place: Hashable {
            let exposed: Composition.Key, file: Int, block: UInt32, base: String
        }
        var first: [Place: Call] = [:]
        for item in Composition(project).registrations where !item.isOverride && !project.isGeneric(item.exposed) {
            let place = Place(exposed: item.exposed, file: item.file, block: item.call.block, base: item.call.base)
            guard let earlier = first[place] else {
                first[place] = item.call
                continue
            }
            let name = project.name(of: item.exposed)
            findings.report(
                at: project.span(item.call.span, in: item.file),
                "\(name) is registered already. Remove one of the registrations.",
                notes: [.init("The first registration", at: project.span(earlier.span, in: item.file))],
                identity: "\(name)/\(item.call.base)"
            )
        }
    }
}

extension ProjectFacts {
    /// The modules and names of the generic types.
    fileprivate var genericTypes: Set<String> {
        Set(types.filter { !declaration(of: $0).generics.isEmpty }.map { "\($0.module).\(displayName(of: $0))" })
    }

    fileprivate func isGeneric(_ key: Composition.Key) -> Bool {
        guard case .project(let index) = key else { return false }
        return !declaration(of: types[index]).generics.isEmpty
    }

    func name(of key: Composition.Key) -> String {
        switch key {
        case .project(let index): displayName(of: types[index])
        case .external(_, let name), .named(let name): name
        }
    }

    func place(of type: Int) -> SourceSpan {
        files[types[type].file].span(declaration(of: types[type]).span)
    }
}
