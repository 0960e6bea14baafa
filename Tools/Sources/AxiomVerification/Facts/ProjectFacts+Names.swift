// SPDX-License-Identifier: Apache-2.0

extension ProjectFacts {
    /// The first of the types of a module with a path.
    func firstType(_ path: String, in module: String) -> Int? {
        types(path, in: module)?.first
    }

    /// What a named reference means at a place. References to `any P`, `some P` and `P?` mean `P`.
    package func resolve(_ reference: TypeReference, in file: Int, at site: Site) -> Resolution {
        resolve(reference, in: file, scope: nil, site)
    }

    func resolve(_ reference: TypeReference, in file: Int, scope: [String]?, _ site: Site) -> Resolution {
        switch reference.form {
        case .named: lookUp(reference.name, file, scope, site)
        case .any, .some: reference.arguments.first.map { resolve($0, in: file, scope: scope, site) } ?? .unknown
        default: .unknown
        }
    }

    /// The names around a place, from the outside in.
    package func scope(of site: Site, in file: Int) -> [String] {
        guard let index = site.declaration else { return [] }
        let declaration = files[file].declarations[index]
        let functions = functionChain(of: site, in: file).reversed().map { "$\(files[file].functions[$0].span.start)" }
        return declaration.scope + declaration.name.split(separator: ".").map(String.init) + functions
    }

    /// The functions around a place, from the inside out.
    package func functionChain(of site: Site, in file: Int) -> [Int] {
        var chain: [Int] = []
        var next = site.function
        while let index = next {
            chain.append(index)
            next = files[file].functions[index].parent
        }
        return chain
    }

    /// - Parameter scope: The names around the place; nil for those around the site.
    func lookUp(_ path: String, _ file: Int, _ scope: [String]?, _ site: Site) -> Resolution {
        guard !path.isEmpty else { return .unknown }
        let isOneName = !path.utf8.contains(UInt8(ascii: "."))
        // Most names are those of no type in another one.
        if isOneName, path != "Self", depths[path] ?? 0 < 2 { return lookUp(name: path, file, site) }
        let parts = isOneName ? [path] : path.split(separator: ".").map(String.init)
        if let parameter = generic(parts[0], file, site) {
            return parts.count == 1 ? .generic(parameter.bound) : .unknown
        }
        if parts[0] == "Self", let type = type(declaredBy: site.declaration, in: file) {
            return parts.count == 1 ? .project(type) : member(parts.dropFirst(), of: type, file)
        }
        let depth = max(depths[parts[parts.count - 1]] ?? 0, isOneName ? 0 : depths[parts[0]] ?? 0)
        guard depth > 0 || !isOneName else {
            return KnownTypes.type(path, in: visibleModules[file]).map { .external($0) } ?? .unknown
        }
        // Only the names around the place that the path of a type has room for.
        let room = isOneName ? depth - 1 : depth
        let around = room > 0 ? (scope ?? self.scope(of: site, in: file)).prefix(room) : []
        if let found = inScopes(parts, file, Array(around)) { return found }
        for module in visibleModules[file].dropFirst() {
            if let found = only(types(path, in: module), file) { return found }
        }
        if parts.count > 1, visibleModules[file].contains(parts[0]) {
            let rest = parts.dropFirst().joined(separator: ".")
            if let found = only(types(rest, in: parts[0]), file) { return found }
            let modules = [parts[0]] + (KnownTypes.reexports[parts[0]] ?? [])
            return KnownTypes.type(rest, in: modules).map { .external($0) } ?? .unknown
        }
        return KnownTypes.type(path, in: visibleModules[file]).map { .external($0) } ?? .unknown
    }

    /// What a name means that no type in another type has.
    private func lookUp(name: String, _ file: Int, _ site: Site) -> Resolution {
        if let parameter = generic(name, file, site) { return .generic(parameter.bound) }
        if let candidates = typesByPath[name] {
            for module in visibleModules[file] {
                if let found = only(types(candidates, in: module), file) { return found }
            }
        }
        return KnownTypes.type(name, in: visibleModules[file]).map { .external($0) } ?? .unknown
    }

    /// Searches the scopes from the inside out: in the file's module, and for extensions in the imported modules.
    private func inScopes(_ parts: [String], _ file: Int, _ scope: [String]) -> Resolution? {
        for count in stride(from: scope.count, through: 0, by: -1) {
            let path = (scope[..<count] + parts).joined(separator: ".")
            if let found = only(types(path, in: files[file].module), file) { return found }
            // The first part may be an alias of a type with the rest as its member.
            let first = (scope[..<count] + parts[..<1]).joined(separator: ".")
            if parts.count > 1,
                case .project(let outer)? = only(types(first, in: files[file].module), file),
                case .project(let type) = nominal(.project(outer)), type != outer
            {
                return member(parts.dropFirst(), of: type, file)
            }
            guard count > 0 else { continue }
            for module in visibleModules[file].dropFirst() {
                if let found = only(types(path, in: module), file) { return found }
            }
        }
        return nil
    }

    private func member(_ parts: ArraySlice<String>, of type: Int, _ file: Int) -> Resolution {
        let path = ([types[type].path] + parts).joined(separator: ".")
        return only(types(path, in: types[type].module), file) ?? .unknown
    }

    /// Whether the module of a type has no other one with its path.
    func isDeclaredOnce(_ type: ProjectType) -> Bool {
        types(type.path, in: type.module)?.count == 1
    }

    /// The one type among candidates that a file sees. Nil if there is none, unknown if there are several.
    private func only(_ candidates: [Int]?, _ file: Int) -> Resolution? {
        guard let candidates else { return nil }
        if candidates.count == 1, types[candidates[0]].file == file { return .project(candidates[0]) }
        let visible = candidates.filter { types[$0].file == file || !types[$0].isHidden }
        if let first = visible.first, visible.allSatisfy({ types[$0].file == types[first].file }) {
            return .project(first)
        }
        return visible.isEmpty ? nil : .unknown
    }

    private func generic(_ name: String, _ file: Int, _ site: Site) -> GenericParameter? {
        var next = site.function
        while let index = next {
            if let found = files[file].functions[index].generics.first(where: { $0.name == name }) { return found }
            next = files[file].functions[index].parent
        }
        guard let index = site.declaration else { return nil }
        if let found = parameter(name, file, index) { return found }
        guard files[file].declarations[index].kind == .extension, let type = type(declaredBy: index, in: file) else {
            return nil
        }
        return parameter(name, types[type].file, types[type].declaration)
    }

    private func parameter(_ name: String, _ file: Int, _ declaration: Int) -> GenericParameter? {
        files[file].declarations[declaration].generics.first { $0.name == name }
            ?? files[file].declarations[declaration].associatedTypes.first { $0.name == name }
    }
}
