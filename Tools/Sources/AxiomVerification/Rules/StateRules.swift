// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// A state is a value, and one client owns it.
enum StateRules {
    static let all = [stateShared, stateReference, stateManualEquality]

    static let stateShared = Rule(
        id: "state-shared",
        summary: "A state has two owners, is a static or global variable, or has no owner.",
        rationale:
            "One client owns each type of state, so each change has one place. Give each client a type of its own.",
        severity: .error
    ) { project, findings in
        reportTwoOwners(project, &findings)
        reportStatics(project, &findings)
        reportOwnerless(project, &findings)
    }

    static let stateReference = Rule(
        id: "state-reference",
        summary: "A state is or contains a reference: a class, an actor or a closure.",
        rationale: """
            A state is copied, compared and published. What a reference points to changes without all that. Make it a value.
            """,
        severity: .error,
        mayBeBaselined: false,
        mended: """
            a class in the file of the finding if nothing needs a reference to it: no identity, no `weak` or \
            `unowned`, no subclass, no `deinit`, no `AnyObject`, no change of a variable but in `update` or an \
            initializer. Not an actor, and not a closure
            """
    ) { project, findings in
        for (index, type) in project.types(with: .state) {
            if type.kind == .class {
                let declaration = project.declaration(of: type)
                findings.report(
                    at: project.span(declaration.span, in: type.file),
                    "The state \(project.displayName(of: type)) is a class. Make it a struct.",
                    identity: project.displayName(of: type),
                    fix: project.structFix(index, in: type.file)
                )
            }
            reportContents(of: type, project, &findings)
        }
    }

    static let stateManualEquality = Rule(
        id: "state-manual-equality",
        summary: "The operator == of a state leaves a stored property out.",
        rationale:
            "A store publishes a state only if it differs from the last one. A change that == ignores is never published.",
        severity: .warning,
        mended: "a `==` that is one expression"
    ) { project, findings in
        for (index, type) in project.types(with: .state) {
            for place in type.places {
                for number in project.functions(place) {
                    let function = project.files[place.file].functions[number]
                    guard function.name == "==", function.parameters.count == 2, !function.comparedMembers.isEmpty,
                        function.parameters.allSatisfy({ project.isType($0.type, index, place, number) })
                    else { continue }
                    judge(function, of: type, place, project, &findings)
                }
            }
        }
    }
}

// MARK: - Owners

extension StateRules {
    private static func reportTwoOwners(_ project: ProjectFacts, _ findings: inout Findings) {
        var owners: [Int: ProjectType] = [:]
        for (index, type) in project.types(with: .stateOwner)
        where project.roles(of: index).contains(.component) && !project.isTest(type) {
            guard let state = project.ownedState(of: type) else { continue }
            guard let first = owners[state] else {
                owners[state] = type
                continue
            }
            let (name, firstName) = (project.displayName(of: type), project.displayName(of: first))
            let stateName = project.displayName(of: project.types[state])
            let location = project.span(project.declaration(of: first).span, in: first.file)
            findings.report(
                at: project.span(project.declaration(of: type).span, in: type.file),
                "\(name) and \(firstName) own the state \(stateName). Give \(name) a type of its own.",
                notes: [.init("The other owner", at: location)],
                identity: "\(name)/\(stateName)"
            )
        }
    }

    private static func reportStatics(_ project: ProjectFacts, _ findings: inout Findings) {
        func judge(_ property: Property, _ file: Int, _ site: Site, _ owner: String) {
            guard var reference = property.type ?? property.initial?.made, property.isStored else { return }
            while reference.name == "Optional", let inner = reference.arguments.first { reference = inner }
            let roles = project.roles(of: reference, in: file, at: site)
            let isShared = property.isVariable || ["shared", "current", "instance"].contains(property.name)
            guard roles.contains(.store) || (roles.contains(.state) && isShared) else { return }
            findings.report(
                at: project.span(property.span, in: file),
                "`\(property.name)` is a state outside of every client. Let a client own it, and observe that client.",
                identity: owner.isEmpty ? property.name : "\(owner).\(property.name)"
            )
        }
        for file in project.files.indices where !project.files[file].isTest {
            for property in project.files[file].globals { judge(property, file, Site(), "") }
            let declarations = project.files[file].declarations
            for index in declarations.indices {
                for property in declarations[index].properties where property.isStatic {
                    judge(property, file, Site(declaration: index), declarations[index].name)
                }
            }
        }
    }

    /// A state that nothing stores. Public states, and those of a project without clients, may have their owner elsewhere.
    private static func reportOwnerless(_ project: ProjectFacts, _ findings: inout Findings) {
        let owners = project.types(with: .stateOwner).filter { !project.isTest($0.type) }
        guard !owners.isEmpty else { return }
        let states = project.types(with: .state).filter { _, type in
            let modifiers = project.declaration(of: type).modifiers
            return !modifiers.contains("public") && !modifiers.contains("package") && !project.isTest(type)
        }
        guard !states.isEmpty else { return }
        let used = project.usedStates(among: states.map(\.type.path))
        for (index, type) in states where !used.contains(index) {
            // Of a type that is declared twice, nobody knows which one a client means.
            guard project.isDeclaredOnce(type) else { continue }
            let declaration = project.declaration(of: type)
            let name = project.displayName(of: type)
            findings.report(
                .warning,
                at: project.span(declaration.span, in: type.file),
                "No client owns the state \(name). Make a store of it in a client, or do not call it a state.",
                identity: name
            )
        }
    }
}

// MARK: - Contents

extension StateRules {
    private static func reportContents(of type: ProjectType, _ project: ProjectFacts, _ findings: inout Findings) {
        let name = project.displayName(of: type)
        for (member, reference, file, site) in project.contents(of: type) {
            var search = ReferenceSearch(project)
            guard let found = search.find(reference, file, site, path: [member]) else { continue }
            let isDirect = found.path.count == 1
            let what = isDirect ? found.description : "\(found.description) (in `\(found.path.joined(separator: "."))`)"
            findings.report(
                at: project.span(reference.span, in: file),
                "`\(member)` of the state \(name) has \(what). A state consists of values: make it a struct or an enum.",
                notes: isDirect ? [] : [.init("The reference", at: found.location)],
                identity: "\(name).\(member)",
                fix: found.type.flatMap { project.structFix($0, in: file) }
            )
        }
    }

    private static func judge(
        _ function: Function,
        of type: ProjectType,
        _ place: ProjectType.Place,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        let stored = project.properties(of: type).filter { $0.property.isStored && !$0.property.isStatic }
        let missing = stored.map(\.property.name).filter { !function.comparedMembers.contains($0) }
        // Members that are computed may stand for those that are left out.
        let isPlain = function.comparedMembers.allSatisfy { member in stored.contains { $0.property.name == member } }
        guard !missing.isEmpty, isPlain else { return }
        let (left, right) = (function.parameters[0].name, function.parameters[1].name)
        let fix = function.singleExpression.map { expression in
            let text = missing.map { " && \(left).\($0) == \(right).\($0)" }.joined()
            let (start, end) = (Int(expression.start), Int(expression.end))
            var edits = [Edit(replacing: end..<end, with: (function.isConjunct ? "" : ")") + text)]
            if !function.isConjunct { edits.insert(Edit(replacing: start..<start, with: "("), at: 0) }
            return Fix("Compare \(missing.joined(separator: ", "))", edits: edits, safety: .review)
        }
        let name = project.displayName(of: type)
        findings.report(
            at: project.span(function.span, in: place.file),
            "== of the state \(name) ignores \(missing.map { "`\($0)`" }.joined(separator: ", ")). A change of that is never published.",
            identity: "\(name).==",
            fix: fix
        )
    }
}

extension ProjectFacts {
    /// The state that a client owns: the type of `state` or of the stream, or the alias `StateType`.
    func ownedState(of type: ProjectType) -> Int? {
        for place in type.places {
            let properties = files[place.file].declarations[place.declaration].properties
            for index in properties.indices where ["state", "stateStream"].contains(properties[index].name) {
                guard !properties[index].isStatic, let reference = properties[index].type else { continue }
                let stated = properties[index].name == "state" ? reference : reference.arguments.first
                let site = Site(declaration: place.declaration)
                if let stated, let state = value(stated, place.file, site) { return state }
            }
        }
        if let alias = firstType(type.path + ".StateType", in: type.module) {
            return declaration(of: types[alias]).target.flatMap {
                value($0, types[alias].file, site(around: types[alias]))
            }
        }
        return nil
    }

    /// The nominal type that a reference means, behind aliases.
    func value(_ reference: TypeReference, _ file: Int, _ site: Site) -> Int? {
        guard case .project(let index)? = mentions(in: reference, file: file, at: site).first?.resolution else {
            return nil
        }
        return index
    }

    /// The states that clients own, that other states contain, and that are arguments of any generic type or call.
    ///
    /// - Parameter paths: Those of the states that are asked for. Types with other names may miss in the result.
    func usedStates(among paths: [String]) -> Set<Int> {
        var used: Set<Int> = []
        let aliases = types.filter { $0.kind == .alias }.map(\.path)
        let names = Set((paths + aliases + ["Self"]).map(\.lastName))
        func mayMean(_ reference: TypeReference) -> Bool {
            names.contains(reference.lastName) || reference.arguments.contains(where: mayMean)
        }
        for type in types where ![.protocol, .alias].contains(type.kind) {
            if let state = ownedState(of: type) { used.insert(state) }
            for (_, reference, file, site) in contents(of: type) where mayMean(reference) {
                for mention in mentions(in: reference, file: file, at: site) {
                    if case .project(let index) = mention.resolution { used.insert(index) }
                }
            }
        }
        for file in files.indices {
            func note(_ argument: TypeReference, _ site: Site) {
                guard mayMean(argument) else { return }
                for mention in mentions(in: argument, file: file, at: site) {
                    if case .project(let index) = mention.resolution { used.insert(index) }
                }
            }
            let calls = files[file].calls
            for index in calls.indices {
                if let made = calls[index].made { note(made, calls[index].site) }
                for argument in calls[index].types { note(argument.type, calls[index].site) }
            }
        }
        return used
    }

    func isType(_ reference: TypeReference?, _ index: Int, _ place: ProjectType.Place, _ function: Int) -> Bool {
        guard let reference else { return false }
        return value(reference, place.file, Site(declaration: place.declaration, function: function)) == index
    }
}
