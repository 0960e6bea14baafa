// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// What an application registers, and what its components resolve. Tests are left out.
struct Composition {
    /// A type, as far as it is known.
    enum Key: Hashable {
        /// The index of a type of the project.
        case project(Int)
        /// A type of another module.
        case external(module: String, name: String)
        /// A name without a known meaning.
        case named(String)
    }

    struct Registration {
        let component: Key
        let kind: StaticGraph.Kind?
        /// The type under which a capability is resolved.
        let exposed: Key
        let isOverride: Bool
        let mayBeRecursive: Bool
        let file: Int
        let call: Call
    }

    /// What a component resolves. The kind is that of the method: `client`, `capability` or `context`.
    struct Use: Hashable {
        let kind: StaticGraph.Kind
        let requested: Key
        let file: Int
        let span: FactSpan
    }

    /// What was found, without the project.
    struct Contents {
        var registrations: [Registration] = []
        /// In the order of files and places.
        var uses: [(owner: Key, use: Use)] = []
        /// Whether something registers components whose types are not written there.
        var registersUnknown = false
    }

    let project: ProjectFacts
    private var contents = Contents()

    var registrations: [Registration] { contents.registrations }
    /// In the order of files and places.
    var uses: [(owner: Key, use: Use)] { contents.uses }
    /// Whether something registers components whose types are not written there.
    var registersUnknown: Bool { contents.registersUnknown }

    init(_ project: ProjectFacts) {
        self.project = project
        if let known = project.memo[Composition.Contents.self] {
            contents = known
            return
        }
        for file in project.files.indices where !project.files[file].isTest {
            let calls = project.files[file].calls
            // Almost no call is one of these, and a copy of a call takes long.
            for index in calls.indices
            where calls[index].callee.utf8.last == UInt8(ascii: "r")
                || calls[index].callee.utf8.last == UInt8(ascii: "e")
            {
                guard calls[index].callee.hasSuffix("register") || calls[index].callee.hasSuffix("override") else {
                    continue
                }
                note(calls[index], in: file)
            }
        }
        var reader = ScopeReader(project)
        contents.uses = reader.uses { call, file in owner(of: call, in: file) }
        project.memo[Composition.Contents.self] = contents
    }

    private mutating func note(_ call: Call, in file: Int) {
        let name = call.name
        guard name == "register" || name == "override" else { return }
        guard let first = call.types.first, first.label.isEmpty else {
            let generics = project.functionChain(of: call.site, in: file).flatMap {
                project.files[file].functions[$0].generics
            }
            let roles = generics.compactMap(\.bound).map { project.roles(of: $0, in: file, at: call.site) }
            if roles.contains(where: { StaticGraph.Kind($0) != nil }) { contents.registersUnknown = true }
            return
        }
        let exposed = call.types.first { $0.label == "as" }
        let roles = project.roles(of: first.type, in: file, at: call.site)
        let component = key(of: first.type, in: file, at: call.site)
        // A type that only the caller knows.
        if component == .named("") { contents.registersUnknown = true }
        guard component != .named(""), let kind = StaticGraph.Kind(roles) ?? (exposed == nil ? nil : .capability) else {
            if case .named = component, project.isOrchestrator(call, in: file) { contents.registersUnknown = true }
            return
        }
        contents.registrations.append(
            Registration(
                component: component,
                kind: kind,
                exposed: exposed.map { key(of: $0.type, in: file, at: call.site) } ?? component,
                isOverride: name == "override",
                mayBeRecursive: call.labels.contains("recursive"),
                file: file,
                call: call
            )
        )
    }

    /// The component whose factory or body contains a call: of a registration first.
    private func owner(of call: Call, in file: Int) -> Key? {
        for outer in project.callsAround(call.site, in: file) where ["register", "override"].contains(outer.name) {
            guard let type = outer.types.first, type.label.isEmpty else { continue }
            return key(of: type.type, in: file, at: outer.site)
        }
        guard let type = project.type(declaredBy: call.site.declaration, in: file),
            StaticGraph.Kind(project.roles(of: type)) != nil
        else { return nil }
        return .project(type)
    }

    func key(of reference: TypeReference, in file: Int, at site: Site) -> Key {
        project.compositionKey(of: reference, in: file, at: site)
    }
}

extension StaticGraph.Kind {
    /// The kind of a component with these roles; nil if it is no component.
    init?(_ roles: Roles) {
        if roles.contains(.capability) {
            self = .capability
        } else if roles.contains(.client) {
            self = .client
        } else if roles.contains(.handler) {
            self = .request
        } else if roles.contains(.context) {
            self = .context
        } else if roles.contains(.presentation) {
            self = .presentation
        } else {
            return nil
        }
    }
}

extension ProjectFacts {
    func compositionKey(of reference: TypeReference, in file: Int, at site: Site) -> Composition.Key {
        switch resolve(reference, in: file, at: site) {
        case .project(let index):
            let declaration = declaration(of: types[index])
            guard types[index].kind == .alias, let target = declaration.target else { return .project(index) }
            return compositionKey(of: target, in: types[index].file, at: Site())
        case .external(let type): return .external(module: type.module, name: type.name)
        case .generic: return .named("")
        case .unknown: return .named(reference.named)
        }
    }

    /// Whether a call is one of a method of an orchestrator: a parameter, property or variable of that type.
    func isOrchestrator(_ call: Call, in file: Int) -> Bool {
        let root = call.base.split(separator: ".").first.map(String.init) ?? ""
        guard !root.isEmpty else { return type(call.site, in: file, is: .orchestrator) }
        let parameters = functionChain(of: call.site, in: file).flatMap { files[file].functions[$0].parameters }
        if let parameter = parameters.first(where: { $0.name == root }), let type = parameter.type {
            return roles(of: type, in: file, at: call.site).contains(.orchestrator)
        }
        let locals = files[file].locals.filter { $0.name == root && $0.site.function == call.site.function }
        if let type = locals.compactMap({ $0.type ?? $0.value?.made }).first {
            return roles(of: type, in: file, at: call.site).contains(.orchestrator)
        }
        guard let owner = self.type(declaredBy: call.site.declaration, in: file) else { return false }
        let property = properties(of: types[owner]).first { $0.property.name == root }
        return property?.property.type.map { roles(of: $0, in: file, at: call.site).contains(.orchestrator) } ?? false
    }

    private func type(_ site: Site, in file: Int, is role: Roles) -> Bool {
        if let type = type(declaredBy: site.declaration, in: file) { return roles(of: type).contains(role) }
        guard let index = site.declaration, let target = files[file].declarations[index].target else { return false }
        return roles(of: target, in: file, at: Site()).contains(role)
    }

    /// Whether code stands in an extension of a scope.
    func isInScopeExtension(_ site: Site, in file: Int) -> Bool { type(site, in: file, is: .scope) }
}

extension TypeReference {
    /// The name of the type, or of the type in `any P`.
    var named: String { form == .named ? name : arguments.first?.named ?? "" }
}
