// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// A type that a member of a component names.
struct MemberReference {
    let file: Int
    /// The member, for the identity of a finding, such as `process` or `cart`.
    let member: String
    let reference: TypeReference
    var resolution: Resolution
    var roles: Roles
}

extension ProjectFacts {
    /// The types that the properties, functions and variables of a type name, without the type itself.
    func memberReferences(of index: Int) -> [MemberReference] {
        let type = types[index]
        var found: [MemberReference] = []
        func note(_ reference: TypeReference?, _ member: String, _ file: Int, _ site: Site) {
            guard let reference else { return }
            // Of a generic parameter, the bound is what counts, and it is noted where it is written.
            found += mentions(of: member, in: reference, file, site).filter { mention in
                if case .generic = mention.resolution { return false }
                return mention.resolution != .project(index)
            }
        }
        for place in type.places {
            let site = Site(declaration: place.declaration)
            for parameter in declaration(place).generics { note(parameter.bound, parameter.name, place.file, site) }
            for property in declaration(place).properties {
                note(property.type ?? property.initial?.made, property.name, place.file, site)
            }
            for number in functions(place) {
                let function = files[place.file].functions[number]
                let site = Site(declaration: place.declaration, function: number)
                for parameter in function.parameters { note(parameter.type, function.name, place.file, site) }
                for parameter in function.generics { note(parameter.bound, function.name, place.file, site) }
                note(function.result, function.name, place.file, site)
            }
        }
        for (file, _, local) in facts(\.locals, of: type) {
            note(local.type, name(of: local.site, file), file, local.site)
        }
        return found
    }

    /// The types that a reference mentions, as references of a member.
    func mentions(of member: String, in reference: TypeReference, _ file: Int, _ site: Site) -> [MemberReference] {
        mentions(in: reference, file: file, at: site).map {
            MemberReference(
                file: file,
                member: member,
                reference: $0.reference,
                resolution: $0.resolution,
                roles: $0.roles
            )
        }
    }

    /// The name of the outermost function around a place, or `init` for the value of a property.
    func name(of site: Site, _ file: Int) -> String {
        functionChain(of: site, in: file).last.map { files[file].functions[$0].name } ?? "init"
    }

    /// The name of a type that was resolved.
    func name(of resolution: Resolution, _ reference: TypeReference) -> String {
        switch resolution {
        case .project(let index): displayName(of: types[index])
        case .external(let type): type.name
        case .generic, .unknown: reference.name
        }
    }

    func span(_ span: FactSpan, in file: Int) -> SourceSpan { files[file].span(span) }

    /// The call whose closure contains a place, then the call around that one, and so on.
    func callsAround(_ site: Site, in file: Int) -> [Call] {
        var calls: [Call] = []
        var next = site.closure
        while let index = next {
            let closure = files[file].closures[index]
            if let call = closure.call { calls.append(files[file].calls[call]) }
            next = closure.site.closure
        }
        return calls
    }

    /// The components of a role that an application registers, outside of tests of the project.
    func isTest(_ type: ProjectType) -> Bool { files[type.file].isTest }

    /// The type of a stored property of a type, by its name.
    func property(_ name: String, of type: ProjectType) -> (place: ProjectType.Place, property: Property)? {
        properties(of: type).first { $0.property.name == name }
    }
}

extension Sequence where Element: Hashable {
    /// The first of each group of equal elements.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
