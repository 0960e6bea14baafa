// SPDX-License-Identifier: Apache-2.0

/// Whether a name that the system has means something of the project.
extension ProjectFacts {
    /// The modules of the system that declare the types of which rules know the names.
    private static let systemModules: Set = [
        "Dispatch", "Foundation", "FoundationEssentials", "Swift", "_Concurrency",
    ]

    /// Whether a name means the type of the system at a place: no type of the project that the place sees has it, except
    /// for an alias of that of the system, and no generic parameter.
    func isOfSystem(_ name: String, _ file: Int, _ site: Site) -> Bool {
        if case .generic = lookUp(name, file, nil, site) { return false }
        return meanings(of: name, file, scope(of: site, in: file)).allSatisfy { isAliasOfSystem(types[$0]) }
    }

    /// The types of the project that a name may mean: those of the innermost scope that has any, of the own module first.
    private func meanings(of name: String, _ file: Int, _ scope: [String]) -> [Int] {
        for count in (0...scope.count).reversed() {
            let path = (scope.prefix(count) + [name]).joined(separator: ".")
            let visible = (typesByPath[path] ?? []).filter { isVisible(types[$0], from: file) }
            let own = visible.filter { types[$0].module == files[file].module }
            if !visible.isEmpty { return own.isEmpty ? visible : own }
        }
        return []
    }

    /// Whether a type is an alias of the type of the system with its name, such as `typealias Task = _Concurrency.Task`.
    private func isAliasOfSystem(_ type: ProjectType) -> Bool {
        let alias = declaration(of: type)
        guard type.kind == .alias, let target = alias.target, target.form == .named else { return false }
        return Self.systemModules.contains { module in
            target.name == "\(module).\(alias.name)" && meanings(of: module, type.file, alias.scope).isEmpty
        }
    }

    /// Whether a call of a name, in a body of a type, may be one of a function, property or variable of the project.
    func declaresFunction(_ name: String, for index: Int, _ file: Int, _ site: Site) -> Bool {
        if isLocal(name, site, file) || hasProperty(name, index, file) { return true }
        let ancestors = ancestors(of: index)
        return files.indices.contains { other in
            let isGlobal = files[other].globals.contains { global in
                global.name == name && isVisible(global.modifiers, ofMemberIn: nil, other, from: file)
            }
            return isGlobal
                || files[other].functions.contains { function in
                    guard function.name == name,
                        isVisible(function.modifiers, ofMemberIn: function.declaration, other, from: file)
                    else { return false }
                    guard let owner = function.declaration else { return function.parent == nil }
                    return inherits(index, ancestors, from: owner, other)
                }
        }
    }

    /// Whether a type has a property that a file sees.
    private func hasProperty(_ name: String, _ index: Int, _ file: Int) -> Bool {
        properties(of: types[index]).contains { place, property in
            property.name == name
                && isVisible(property.modifiers, ofMemberIn: place.declaration, place.file, from: file)
        }
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
