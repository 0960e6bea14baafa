// SPDX-License-Identifier: Apache-2.0

extension ProjectFacts {
    /// The roles of what a reference means: of `P` for `any P`, of each part for `P & Q`, and of the target of an alias.
    package func roles(of reference: TypeReference, in file: Int, at site: Site) -> Roles {
        roles(of: reference, in: file, scope: nil, site)
    }

    func roles(of reference: TypeReference, in file: Int, scope: [String]?, _ site: Site) -> Roles {
        switch reference.form {
        case .named: roles(of: lookUp(reference.name, file, scope, site), in: file, site)
        case .any, .some, .composition:
            reference.arguments.reduce(into: Roles()) { $0.formUnion(self.roles(of: $1, in: file, scope: scope, site)) }
        default: []
        }
    }

    private func roles(of resolution: Resolution, in file: Int, _ site: Site) -> Roles {
        switch resolution {
        case .project(let index): rolesByType[index]
        case .external(let type): type.roles
        case .generic(let bound?) where bound.form == .named || bound.form == .composition:
            // The bound is written beside the parameter; a parameter as a bound has no roles here.
            roles(of: bound, in: file, scope: [], Site())
        case .generic, .unknown: []
        }
    }

    /// All references in a reference that have a role, with the roles of each. Aliases are followed into their targets.
    package func mentions(
        in reference: TypeReference,
        file: Int,
        at site: Site
    ) -> [(reference: TypeReference, resolution: Resolution, roles: Roles)] {
        mentions(in: reference, file, nil, site, depth: 0)
    }

    private func mentions(
        in reference: TypeReference,
        _ file: Int,
        _ scope: [String]?,
        _ site: Site,
        depth: Int
    ) -> [(reference: TypeReference, resolution: Resolution, roles: Roles)] {
        reference.all.filter { $0.form == .named }.flatMap { part in
            let resolution = lookUp(part.name, file, scope, site)
            guard case .project(let index) = resolution, types[index].kind == .alias, depth < 8 else {
                return [(part, resolution, roles(of: resolution, in: file, site))]
            }
            let alias = declaration(of: types[index])
            guard let target = alias.target else { return [] }
            return mentions(in: target, types[index].file, alias.scope, Site(), depth: depth + 1).map {
                var reference = $0.reference
                reference.span = part.span
                return (reference, $0.resolution, $0.roles)
            }
        }
    }
}
