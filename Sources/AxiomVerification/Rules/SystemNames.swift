// SPDX-License-Identifier: Apache-2.0

#if Tools
/// Whether a name that the system has means something of the project.
extension ProjectFacts {
    /// Whether a name means the type of the system at a place: no type of the project that the place sees has it, and no
    /// generic parameter.
    func isOfSystem(_ name: String, _ file: Int, _ site: Site) -> Bool {
        switch lookUp(name, file, nil, site) {
        case .external: true
        case .project, .generic: false
        case .unknown: !hasTypes(named: name, file, site)
        }
    }

    /// Whether a name has several meanings at a place.
    private func hasTypes(named name: String, _ file: Int, _ site: Site) -> Bool {
        let scope = scope(of: site, in: file)
        return (0...scope.count).contains { count in
            let path = (scope.prefix(count) + [name]).joined(separator: ".")
            return (typesByPath[path] ?? []).contains {
                sees(types[$0].module, file) && (types[$0].file == file || !types[$0].isHidden)
            }
        }
    }

    /// Whether a call of a name, in a body of a type, may be one of a function, property or variable of the project.
    func declaresFunction(_ name: String, for index: Int, _ file: Int, _ site: Site) -> Bool {
        if isLocal(name, site, file) || property(name, of: types[index]) != nil { return true }
        let ancestors = ancestors(of: index)
        return files.indices.contains { other in
            guard sees(files[other].module, file) else { return false }
            let isGlobal = files[other].globals.contains { $0.name == name && isVisible($0.modifiers, other, file) }
            return isGlobal
                || files[other].functions.contains { function in
                    guard function.name == name, isVisible(function.modifiers, other, file) else { return false }
                    guard let owner = function.declaration else { return function.parent == nil }
                    return inherits(index, ancestors, from: owner, other)
                }
        }
    }

    private func isVisible(_ modifiers: [String], _ declaring: Int, _ file: Int) -> Bool {
        declaring == file || !modifiers.contains { $0 == "private" || $0 == "fileprivate" }
    }

    /// Whether a type has the members of a declaration: of itself, of a type it inherits from, or of an extension of a type of
    /// another module with a role of it, such as `Context`.
    private func inherits(_ index: Int, _ ancestors: Set<Int>, from owner: Int, _ file: Int) -> Bool {
        if let type = type(declaredBy: owner, in: file) { return ancestors.contains(type) }
        guard let target = files[file].declarations[owner].target else { return false }
        let roles = roles(of: target, in: file, at: Site()).subtracting(.reference)
        return !roles.isEmpty && self.roles(of: index).isSuperset(of: roles)
    }

    /// The type and all types of the project that it inherits from.
    private func ancestors(of index: Int) -> Set<Int> {
        var found: Set = [index]
        var waiting = [index]
        while let next = waiting.popLast() {
            for parent in parents(of: types[next]) where found.insert(parent).inserted { waiting.append(parent) }
        }
        return found
    }
}
#endif
