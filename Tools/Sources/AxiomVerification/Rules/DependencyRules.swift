// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Who may depend on whom: capabilities below clients, clients below contexts and request handlers, contexts below presentations.
enum DependencyRules {
    static let all = [
        clientHoldsClient, clientReachesUp, contextUsesCapability, contextUsesHandler, capabilityReachesUp,
        capabilityIsLeaf, presentationOneContext, componentMadeByHand,
    ]

    static let clientHoldsClient = Rule(
        id: "client-holds-client",
        summary: "A client has a client: stored, injected, or carried by an action.",
        rationale: """
            A client owns one domain. A client that calls another one couples the domains and may lead to cycles. Let a context \
            call both clients, or move what they share into a capability.
            """,
        severity: .error
    ) { project, findings in
        for (index, type) in project.types(with: .client) where project.roles(of: index).contains(.component) {
            report(
                project.memberReferences(of: index).filter { $0.roles.contains(.client) }
                    + project.references(inValuesOf: index) { $0.roles.contains(.client) },
                in: project,
                type,
                &findings,
                "is a client; a client depends on capabilities alone. Let a context call both clients."
            )
        }
        for (index, type) in project.types(with: .action) {
            _ = index
            reportPayload(of: type, in: project, &findings)
        }
    }

    static let clientReachesUp = Rule(
        id: "client-reaches-up",
        summary: "A client or a request handler names a context, a presentation, a handler or the orchestrator.",
        rationale: """
            Clients do not know who uses them. Publish a state instead: contexts observe it and decide what is shown. A request handler \
            depends on clients alone: a request has no screen, and what two handlers share belongs in a client.
            """,
        severity: .error
    ) { project, findings in
        let above: Roles = [.context, .presentation, .orchestrator, .presentationHost, .handler, .endpoint]
        for (index, type) in project.types(with: [.client, .handler])
        where project.roles(of: index).contains(.component) {
            let isHandler = project.roles(of: index).contains(.handler)
            let reason =
                isHandler
                ? "is no client; a request handler depends on clients alone."
                : "stands above clients. Publish a state instead."
            reportUses(of: above, in: project, index, type, &findings, reason)
        }
    }

    static let contextUsesCapability = Rule(
        id: "context-uses-capability",
        summary: "A context or a request handler has a capability, or a reference to one.",
        rationale: """
            Contexts and request handlers coordinate clients. What reaches out of the application belongs in a client, whose state \
            they read.
            """,
        severity: .error
    ) { project, findings in
        let exposed = project.exposedCapabilities
        for (index, type) in project.types(with: [.context, .handler]) {
            let isHandler = project.roles(of: index).contains(.handler)
            func isWanted(_ reference: MemberReference) -> Bool {
                if exposed.contains(reference.resolution) { return true }
                return !reference.roles.isDisjoint(with: [.capability, .capabilityReference])
            }
            report(
                project.memberReferences(of: index).filter(isWanted)
                    + project.references(inValuesOf: index, where: isWanted),
                in: project,
                type,
                &findings,
                "is a capability. Let a client use it, and \(isHandler ? "call" : "observe") that client."
            )
        }
    }

    static let contextUsesHandler = Rule(
        id: "context-uses-handler",
        summary: "A context or a presentation has a request handler, or an endpoint of one.",
        rationale: """
            Requests come from outside of the application: a router, a worker or a command has the endpoint. A context calls the \
            clients that the handler calls.
            """,
        severity: .error
    ) { project, findings in
        for (index, type) in project.types(with: [.context, .presentation, .view]) {
            reportUses(
                of: [.handler, .endpoint],
                in: project,
                index,
                type,
                &findings,
                "answers requests from outside. Let a context call the clients that the handler calls."
            )
        }
    }

    static let capabilityReachesUp = Rule(
        id: "capability-reaches-up",
        summary: "A capability names a client, a context, a presentation, a handler or the orchestrator.",
        rationale:
            "A capability depends on other capabilities alone. Report changes through its status, or offer a stream.",
        severity: .error
    ) { project, findings in
        let above: Roles = [
            .client, .context, .presentation, .orchestrator, .presentationHost, .handler, .endpoint,
        ]
        for (index, type) in project.types(with: .capability) {
            reportUses(
                of: above,
                in: project,
                index,
                type,
                &findings,
                "stands above capabilities. Offer a stream or a function instead."
            )
        }
    }

    static let capabilityIsLeaf = Rule(
        id: "capability-is-leaf",
        summary: "A capability depends on another capability.",
        rationale:
            "Revision 4 of the specification allows no dependencies of capabilities. Off, because Axiom allows them.",
        severity: .warning,
        isOnByDefault: false
    ) { project, findings in
        for (index, type) in project.types(with: .capability) {
            let references = project.memberReferences(of: index).filter {
                !$0.roles.isDisjoint(with: [.capability, .capabilityReference])
            }
            report(
                references,
                in: project,
                type,
                &findings,
                "is a capability, and this project wants capabilities without dependencies."
            )
        }
    }

    static let presentationOneContext = Rule(
        id: "presentation-one-context",
        summary: "A presentation or a view has a second context.",
        rationale: "A presentation shows one context. Let that context own the other one as a downstream context.",
        severity: .error
    ) { project, findings in
        for (index, type) in project.types(with: [.presentation, .view]) {
            _ = index
            let contexts = project.properties(of: type).filter { place, property in
                property.isStored && !property.isStatic
                    && (property.type ?? property.initial?.made).map { reference in
                        project.mentions(in: reference, file: place.file, at: Site(declaration: place.declaration))
                            .contains { $0.roles.contains(.context) }
                    } ?? false
            }
            guard let first = contexts.first else { continue }
            for (place, property) in contexts.dropFirst() {
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(property.span, in: place.file),
                    "\(name) shows `\(first.property.name)` already. Let that context own `\(property.name)`, and read it there.",
                    notes: [.init("The first context", at: project.span(first.property.span, in: first.place.file))],
                    identity: "\(name).\(property.name)"
                )
            }
        }
    }
}

// MARK: - Reporting

extension DependencyRules {
    private static func report(
        _ references: [MemberReference],
        in project: ProjectFacts,
        _ type: ProjectType,
        _ findings: inout Findings,
        _ reason: String
    ) {
        var seen: Set<String> = []
        var last: (file: Int, span: FactSpan)?
        for reference in references {
            // Of `CapabilityRef<HTTPNetwork>` the outer type says it all.
            if let last, last.file == reference.file, last.span.contains(reference.reference.span) { continue }
            last = (reference.file, reference.reference.span)
            let name = project.displayName(of: type)
            let target = project.name(of: reference.resolution, reference.reference)
            let identity = "\(name).\(reference.member)/\(target)"
            guard seen.insert(identity).inserted else { continue }
            findings.report(
                at: project.span(reference.reference.span, in: reference.file),
                "`\(target)` in \(name) \(reason)",
                identity: identity
            )
        }
    }

    /// Reports declared types, and also types whose members the code uses.
    private static func reportUses(
        of roles: Roles,
        in project: ProjectFacts,
        _ index: Int,
        _ type: ProjectType,
        _ findings: inout Findings,
        _ reason: String
    ) {
        var references = project.memberReferences(of: index)
        for (file, _, use) in project.facts(\.statics, of: type) {
            references.append(project.memberReference(use.type, file, use.site))
        }
        for (file, _, call) in project.facts(\.calls, of: type) {
            if let made = call.made { references.append(project.memberReference(made, file, call.site)) }
        }
        references += project.references(inValuesOf: index) { !$0.roles.isDisjoint(with: roles) }
        let others = references.filter { !$0.roles.isDisjoint(with: roles) && $0.resolution != .project(index) }
        report(others, in: project, type, &findings, reason)
    }

    private static func reportPayload(of type: ProjectType, in project: ProjectFacts, _ findings: inout Findings) {
        for place in type.places {
            let declaration = project.declaration(place)
            let cases = declaration.cases.flatMap { element in element.payload.map { (element.name, $0) } }
            let properties = declaration.properties.filter { $0.isStored && !$0.isStatic }
                .compactMap { property in property.type.map { (property.name, $0) } }
            for (member, reference) in cases + properties {
                let site = Site(declaration: place.declaration)
                for mention in project.mentions(in: reference, file: place.file, at: site)
                where mention.roles.contains(.client) {
                    let name = project.displayName(of: type)
                    let target = project.name(of: mention.resolution, mention.reference)
                    findings.report(
                        at: project.span(mention.reference.span, in: place.file),
                        "`\(target)` in \(name) is a client; an action carries values alone. Send the value that is needed.",
                        identity: "\(name).\(member)/\(target)"
                    )
                }
            }
        }
    }
}

extension ProjectFacts {
    func memberReference(_ reference: TypeReference, _ file: Int, _ site: Site) -> MemberReference {
        MemberReference(
            file: file,
            member: name(of: site, file),
            reference: reference,
            resolution: resolve(reference, in: file, at: site),
            roles: roles(of: reference, in: file, at: site)
        )
    }

    /// The protocols under which capabilities are registered: `register(HTTPNetwork.self, as: (any Network).self)`.
    var exposedCapabilities: Set<Resolution> {
        var exposed: Set<Resolution> = []
        for file in files.indices {
            let calls = files[file].calls
            for index in calls.indices where calls[index].types.count > 1 && calls[index].name == "register" {
                let call = calls[index]
                guard let own = call.types.first(where: { $0.label.isEmpty }),
                    roles(of: own.type, in: file, at: call.site).contains(.capability)
                else { continue }
                for argument in call.types where argument.label == "as" {
                    exposed.insert(resolve(argument.type, in: file, at: call.site))
                }
            }
        }
        return exposed.subtracting([.unknown])
    }
}
