// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

extension FileMetrics {
    static func all(of project: ProjectFacts, _ findings: [Finding]) -> [FileMetrics] {
        let parts: Roles = [.capability, .client, .handler, .context, .presentation]
        let components = project.types(with: parts)
        var depths = DependencyDepths(project, Set(components.map(\.index)))
        var byFile: [Int: [(index: Int, type: ProjectType)]] = [:]
        for component in components { byFile[component.type.file, default: []].append(component) }
        var errors: [String: [Range<Int>]] = [:]
        for finding in findings where finding.severity == .error {
            errors[finding.location.path, default: []].append(finding.location.offsets)
        }
        return project.files.enumerated().map { index, file in
            let own = byFile[index] ?? []
            let sound = own.filter { component in
                !component.type.places.contains { place in
                    let whole = project.declaration(place).whole.offsets
                    return (errors[project.files[place.file].path] ?? []).contains { whole.contains($0.lowerBound) }
                }
            }
            return FileMetrics(
                path: file.path,
                componentCount: own.count,
                dependencyDepth: own.map { depths.depth(of: $0.index) }.max() ?? 0,
                compliance: own.isEmpty ? 1 : Double(sound.count) / Double(own.count)
            )
        }
    }
}

/// The lengths of the chains of components, each computed once. A cycle ends the chain.
private struct DependencyDepths {
    private let project: ProjectFacts
    private let components: Set<Int>
    private var known: [Int: Int] = [:]
    private var underway: Set<Int> = []

    init(_ project: ProjectFacts, _ components: Set<Int>) {
        self.project = project
        self.components = components
    }

    mutating func depth(of type: Int) -> Int {
        if let depth = known[type] { return depth }
        guard underway.insert(type).inserted else { return 0 }
        defer { underway.remove(type) }
        var deepest = 0
        for dependency in project.dependencies(of: type) where components.contains(dependency) {
            deepest = max(deepest, depth(of: dependency))
        }
        known[type] = deepest + 1
        return deepest + 1
    }
}

extension ProjectFacts {
    /// The types that the stored properties of a type name, and those that its code resolves from a scope. Sorted.
    package func dependencies(of type: Int) -> [Int] {
        var found: Set<Int> = []
        for (place, property) in properties(of: types[type]) where property.isStored {
            guard let reference = property.type else { continue }
            for mention in mentions(in: reference, file: place.file, at: Site(declaration: place.declaration)) {
                if case .project(let index) = mention.resolution { found.insert(index) }
            }
        }
        for (file, _, call) in facts(\.calls, of: types[type])
        where ["capability", "client", "context"].contains(call.name) {
            for argument in call.types {
                if case .project(let index) = resolve(argument.type, in: file, at: call.site) { found.insert(index) }
            }
        }
        return found.subtracting([type]).sorted()
    }

    /// The facts of the bodies of a type and its extensions, without those of types in it.
    package func facts<F: Sited>(
        _ list: KeyPath<FileFacts, [F]>,
        of type: ProjectType
    ) -> [(file: Int, index: Int, fact: F)] {
        var found: [(file: Int, index: Int, fact: F)] = []
        for place in type.places {
            for (index, fact) in files[place.file][keyPath: list].enumerated()
            where fact.site.declaration == place.declaration {
                found.append((place.file, index, fact))
            }
        }
        return found
    }
}
