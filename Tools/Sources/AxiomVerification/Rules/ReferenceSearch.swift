// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// A reference in a value: the path of members that leads to it, and what it is.
struct FoundReference {
    /// The members below the searched type, such as `items.owner`.
    let path: [String]
    let description: String
    /// The class, if it is one of the project.
    let type: Int?
    let location: SourceSpan
}

/// Searches what values contain: classes, actors and closures, also inside of other values.
struct ReferenceSearch {
    private let project: ProjectFacts
    private var seen: Set<Int> = []

    init(_ project: ProjectFacts) {
        self.project = project
    }

    /// The first reference in what a type reference means; nil if there is none or the type is unknown.
    mutating func find(_ reference: TypeReference, _ file: Int, _ site: Site, path: [String] = []) -> FoundReference? {
        func found(_ description: String, _ type: Int? = nil) -> FoundReference {
            FoundReference(
                path: path,
                description: description,
                type: type,
                location: project.span(reference.span, in: file)
            )
        }
        switch reference.form {
        case .function: return found("a closure")
        case .tuple, .composition: return first(reference.arguments, file, site, path)
        case .any, .some:
            let roles = project.roles(of: reference, in: file, at: site)
            guard roles.contains(.reference), let inner = reference.arguments.first else { return nil }
            return found("a reference (`\(inner.name.isEmpty ? "any" : inner.name)` is a protocol of classes)")
        case .metatype, .other: return nil
        case .named: break
        }
        switch project.resolve(reference, in: file, at: site) {
        case .external(let type) where type.roles.contains(.reference): return found("`\(type.name)`, a class")
        case .project(let index):
            let type = project.types[index]
            switch type.kind {
            case .class: return found("`\(project.displayName(of: type))`, a class", index)
            case .actor: return found("`\(project.displayName(of: type))`, an actor", index)
            case .alias:
                let alias = project.declaration(of: type)
                guard seen.insert(index).inserted, let target = alias.target else { return nil }
                return find(target, type.file, project.site(around: type), path: path)
            case .struct, .enum:
                if let inner = search(index, path) { return inner }
            case .protocol, .extension: return nil
            }
        case .external, .generic, .unknown: break
        }
        return first(reference.arguments, file, site, path)
    }

    /// The first reference in the stored properties and payloads of a type.
    mutating func search(_ index: Int, _ path: [String] = []) -> FoundReference? {
        guard seen.insert(index).inserted else { return nil }
        for (member, reference, file, site) in project.contents(of: project.types[index]) {
            if let found = find(reference, file, site, path: path + [member]) { return found }
        }
        return nil
    }

    private mutating func first(
        _ references: [TypeReference],
        _ file: Int,
        _ site: Site,
        _ path: [String]
    ) -> FoundReference? {
        for reference in references {
            if let found = find(reference, file, site, path: path) { return found }
        }
        return nil
    }
}

extension ProjectFacts {
    /// The stored properties and payloads of a type, with their types.
    func contents(of type: ProjectType) -> [(member: String, reference: TypeReference, file: Int, site: Site)] {
        type.places.flatMap { place in
            let declaration = declaration(place)
            let site = Site(declaration: place.declaration)
            let properties = declaration.properties.filter { $0.isStored && !$0.isStatic }.compactMap { property in
                (property.type ?? property.initial?.made).map { (property.name, $0, place.file, site) }
            }
            let payloads = declaration.cases.flatMap { element in
                element.payload.map { (element.name, $0, place.file, site) }
            }
            return properties + payloads
        }
    }

    /// The stored properties of a type whose value, a struct or an enum of the project, contains something wanted at any depth.
    /// The reference is that of the property.
    func references(inValuesOf index: Int, where isWanted: (MemberReference) -> Bool) -> [MemberReference] {
        contents(of: types[index]).flatMap { member, reference, file, site in
            mentions(of: member, in: reference, file, site).compactMap { outer -> MemberReference? in
                var seen: Set = [index]
                let inner = inner(of: outer, &seen) { $0.resolution != .project(index) && isWanted($0) }
                guard !isWanted(outer), let inner else { return nil }
                var found = outer
                (found.resolution, found.roles) = (inner.resolution, inner.roles)
                return found
            }
        }
    }

    /// The first wanted reference in the contents of a value.
    private func inner(
        of outer: MemberReference,
        _ seen: inout Set<Int>,
        _ isWanted: (MemberReference) -> Bool
    ) -> MemberReference? {
        guard case .project(let index) = outer.resolution, [.struct, .enum].contains(types[index].kind),
            seen.insert(index).inserted
        else { return nil }
        for (_, reference, file, site) in contents(of: types[index]) {
            for found in mentions(of: outer.member, in: reference, file, site) {
                if isWanted(found) { return found }
                if let deeper = inner(of: found, &seen, isWanted) { return deeper }
            }
        }
        return nil
    }

    /// The place around a type.
    func site(around type: ProjectType) -> Site {
        let scope = declaration(of: type).scope
        let outer = files[type.file].declarations.firstIndex {
            // Almost all differ in the count.
            $0.scope.count <= scope.count && $0.scope + $0.name.split(separator: ".").map(String.init) == scope
        }
        return Site(declaration: outer)
    }
}
