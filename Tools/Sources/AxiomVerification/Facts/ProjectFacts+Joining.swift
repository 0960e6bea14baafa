// SPDX-License-Identifier: Apache-2.0

extension ProjectFacts {
    mutating func noteModules() {
        var reexports = KnownTypes.reexports
        for file in files {
            let modules = file.imports.filter(\.isReexported).map(\.module)
            if !modules.isEmpty { reexports[file.module, default: []] += modules }
        }
        visibleModules = files.map { file in
            var modules = [file.module]
            var index = 0
            var waiting = file.imports.map(\.module) + ["Swift"]
            while index < waiting.count {
                let module = waiting[index]
                index += 1
                guard !modules.contains(module) else { continue }
                modules.append(module)
                waiting += reexports[module] ?? []
            }
            return modules
        }
    }

    mutating func noteTypes() {
        for (fileIndex, file) in files.enumerated() {
            typeByDeclaration.append(Array(repeating: nil, count: file.declarations.count))
            functionsByDeclaration.append(Array(repeating: [], count: file.declarations.count))
            for (index, function) in file.functions.enumerated() {
                if let owner = function.declaration { functionsByDeclaration[fileIndex][owner].append(index) }
            }
            for (index, declaration) in file.declarations.enumerated() where declaration.kind != .extension {
                let path = (declaration.scope + [declaration.name]).joined(separator: ".")
                typeByDeclaration[fileIndex][index] = types.count
                let parts = path.split(separator: ".", omittingEmptySubsequences: false)
                depths[parts.last.map(String.init) ?? "", default: 0].raise(to: parts.count)
                add(
                    ProjectType(
                        file: fileIndex,
                        declaration: index,
                        module: file.module,
                        path: path,
                        kind: declaration.kind,
                        isHidden: declaration.isFilePrivate || declaration.isLocal
                    )
                )
            }
        }
    }

    mutating func noteExtensions() {
        for (fileIndex, file) in files.enumerated() {
            for (index, declaration) in file.declarations.enumerated() where declaration.kind == .extension {
                guard let target = declaration.target,
                    case .project(let type) = nominal(lookUp(target.name, fileIndex, declaration.scope, Site()))
                else { continue }
                types[type].extensions.append(ProjectType.Place(file: fileIndex, declaration: index))
                typeByDeclaration[fileIndex][index] = type
            }
        }
    }

    /// Follows an alias of a named type.
    func nominal(_ resolution: Resolution, depth: Int = 0) -> Resolution {
        guard case .project(let index) = resolution, types[index].kind == .alias, depth < 8 else { return resolution }
        let declaration = declaration(of: types[index])
        guard let target = declaration.target, target.form == .named else { return .unknown }
        return nominal(lookUp(target.name, types[index].file, declaration.scope, Site()), depth: depth + 1)
    }

    mutating func noteRoles() {
        rolesByType = types.map { KnownTypes.roles(of: $0.path, in: $0.module) ?? [] }
        for index in types.indices where [.class, .actor].contains(types[index].kind) {
            rolesByType[index].insert(.reference)
        }
        var heirs = [[Int]](repeating: [], count: types.count)
        for index in types.indices {
            for parent in parents(of: types[index]) { heirs[parent].append(index) }
        }
        // A type that gains roles passes them on, so a chain of any length ends.
        var waiting = Array(types.indices)
        while let index = waiting.popLast() {
            let gained = inheritedRoles(of: types[index])
            guard !rolesByType[index].isSuperset(of: gained) else { continue }
            rolesByType[index].formUnion(gained)
            waiting += heirs[index]
        }
    }

    /// The types of the project whose roles a type may inherit.
    func parents(of type: ProjectType) -> Set<Int> {
        let places = type.places.map { ($0.file, declaration($0)) }
        return Set(
            places.flatMap { file, part in
                (part.inherited + (type.kind == .alias ? [part.target].compactMap(\.self) : [])).flatMap(\.all)
                    .compactMap { reference -> Int? in
                        guard reference.form == .named,
                            case .project(let index) = lookUp(reference.name, file, part.scope, Site())
                        else { return nil }
                        return index
                    }
            }
        )
    }

    private func inheritedRoles(of type: ProjectType) -> Roles {
        let declaration = declaration(of: type)
        if type.kind == .alias {
            let site = Site(declaration: nil)
            return declaration.target.map { self.roles(of: $0, in: type.file, scope: declaration.scope, site) } ?? []
        }
        var roles = Roles()
        for place in type.places {
            let part = files[place.file].declarations[place.declaration]
            for reference in part.inherited {
                roles.formUnion(self.roles(of: reference, in: place.file, scope: part.scope, Site(declaration: nil)))
            }
            for attribute in part.attributes where sees("AxiomMacros", place.file) {
                roles.formUnion(ComponentMacro(attribute)?.roles ?? [])
            }
        }
        // A struct may conform to a protocol of values and references alike.
        if type.kind == .struct || type.kind == .enum { roles.remove(.reference) }
        return roles
    }
}
