// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

extension StaticGraph {
    /// The components that the source declares or registers, and what they resolve. Tests are left out.
    package init(_ project: ProjectFacts) {
        if let known = project.memo[StaticGraph.self] {
            self = known
            return
        }
        let graph = StaticGraph(Composition(project))
        project.memo[StaticGraph.self] = graph
        self = graph
    }

    init(_ composition: Composition) {
        var reader = GraphReader(composition)
        reader.read()
        self.init(nodes: reader.nodes, edges: reader.edges)
    }
}

/// Makes the nodes and edges of a composition.
private struct GraphReader {
    private let composition: Composition
    private var project: ProjectFacts { composition.project }
    private(set) var nodes: [StaticGraph.Node] = []
    private(set) var edges: [(from: Int, to: Int, place: SourceSpan)] = []
    private var numbers: [Composition.Key: Int] = [:]
    /// The registered components by the types under which they are resolved.
    private var exposed: [Composition.Key: [Composition.Key]] = [:]

    init(_ composition: Composition) {
        self.composition = composition
    }

    mutating func read() {
        for (index, type) in project.types(with: [.capability, .client, .handler, .context, .presentation])
        where !project.files[type.file].isTest {
            let declaration = project.declaration(of: type)
            guard let kind = StaticGraph.Kind(project.roles(of: index)), !declaration.isLocal else { continue }
            add(.project(index), kind, at: project.files[type.file].span(declaration.span))
        }
        for registration in composition.registrations { add(registration) }
        for (owner, use) in composition.uses { add(use, of: owner) }
        for (index, type) in project.types(with: .presentation) { addContext(of: index, type) }
    }

    private mutating func add(_ registration: Composition.Registration) {
        let place = project.files[registration.file].span(registration.call.whole)
        guard let kind = registration.kind, let number = add(registration.component, kind, at: place) else { return }
        if !registration.isOverride { nodes[number].registrations.append(place) }
        if registration.mayBeRecursive { nodes[number].mayBeRecursive = true }
        if !exposed[registration.exposed, default: []].contains(registration.component) {
            exposed[registration.exposed, default: []].append(registration.component)
        }
    }

    private mutating func add(_ use: Composition.Use, of owner: Composition.Key) {
        let place = project.files[use.file].span(use.span)
        guard let from = numbers[owner] else { return }
        let targets = exposed[use.requested] ?? [use.requested]
        for target in targets {
            guard let to = numbers[target] ?? add(unregistered: target, use.kind, at: place) else { continue }
            edges.append((from, to, place))
        }
    }

    /// A component that is not registered here becomes a node, unless it is a protocol: its implementation is unknown.
    private mutating func add(unregistered key: Composition.Key, _ kind: StaticGraph.Kind, at place: SourceSpan) -> Int?
    {
        if case .project(let index) = key, project.types[index].kind == .protocol { return nil }
        if kind == .capability, case .named = key { return nil }
        return add(key, kind, at: place)
    }

    private mutating func addContext(of index: Int, _ type: ProjectType) {
        guard let from = numbers[.project(index)] else { return }
        for (place, property) in project.properties(of: type) where property.name == "context" {
            guard let reference = property.type else { continue }
            let key = composition.key(of: reference, in: place.file, at: Site(declaration: place.declaration))
            guard let to = numbers[key] else { continue }
            edges.append((from, to, project.files[place.file].span(reference.span)))
        }
    }

    /// The number of the node of a type, which is added if it is new.
    @discardableResult
    private mutating func add(_ key: Composition.Key, _ kind: StaticGraph.Kind, at place: SourceSpan) -> Int? {
        if let number = numbers[key] { return number }
        let node: StaticGraph.Node
        switch key {
        case .project(let index):
            let type = project.types[index]
            let path = project.displayName(of: type)
            node = .init(
                kind,
                name(of: index),
                type: path,
                module: type.module,
                at: project.files[type.file].span(project.declaration(of: type).span)
            )
        case .external(let module, let name): node = .init(kind, name, module: module, at: place)
        case .named(let name):
            guard !name.isEmpty else { return nil }
            node = .init(kind, name, at: place)
        }
        numbers[key] = nodes.count
        nodes.append(node)
        return nodes.count - 1
    }

    /// The `componentName` of a type: its own, that of a type to which it refers, or the name of the type.
    private func name(of index: Int, depth: Int = 0) -> String {
        let type = project.types[index]
        let fallback = type.path.split(separator: ".").last.map(String.init) ?? type.path
        for (place, property) in project.properties(of: type)
        where property.name == "componentName" && property.isStatic {
            if let text = property.text { return text }
            let parts = property.initial?.path.split(separator: ".").map(String.init) ?? []
            guard parts.last == "componentName", parts.count > 1, depth < 8, let span = property.initial?.span else {
                continue
            }
            let reference = TypeReference(.named, parts.dropLast().joined(separator: "."), at: span)
            let key = composition.key(of: reference, in: place.file, at: Site(declaration: place.declaration))
            if case .project(let other) = key, other != index { return name(of: other, depth: depth + 1) }
        }
        return fallback
    }
}
