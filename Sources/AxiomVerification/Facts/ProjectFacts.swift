// SPDX-License-Identifier: Apache-2.0

#if Tools
/// What the files of a project declare, joined across files. Rules judge this alone.
///
/// Names are resolved as the compiler does it, as far as declarations allow: the scopes around, then the module, then what
/// the file imports. A name with no or several meanings is unknown, and no rule reports it.
package struct ProjectFacts: Sendable {
    /// The files, in order of their paths.
    package let files: [FileFacts]
    /// What is known besides the source, such as layers.
    package var environment = ProjectEnvironment()
    /// The types, protocols and aliases of all files, in order of files and places.
    package private(set) var types: [ProjectType] = []
    /// The functions of each declaration: `[file][declaration]`.
    private var functionsByDeclaration: [[[Int]]] = []
    /// The type that a declaration declares or extends: `[file][declaration]`.
    private var typeByDeclaration: [[Int?]] = []
    private var typesByName: [TypeName: [Int]] = [:]
    /// How many parts the longest path of a type has, by the last part. A name that is no key here names no type of the project.
    private var depths: [String: Int] = [:]
    /// The modules that each file sees, its own first.
    private var visibleModules: [[String]] = []
    private var rolesByType: [Roles] = []
    let memo = ProjectMemo()

    package init() {
        self.init(files: [])
    }

    package init(files: [FileFacts]) {
        self.files = files.sorted { $0.path < $1.path }
        noteModules()
        noteTypes()
        noteExtensions()
        noteRoles()
    }

    struct TypeName: Hashable {
        let module: String
        let path: String
    }
}

/// A nominal type, protocol or alias of the project.
package struct ProjectType: Sendable {
    /// The indices of the file and of the declaration in it.
    package let file: Int
    package let declaration: Int
    package let module: String
    /// The path of names from the module, as in `Shop.Item`.
    package let path: String
    package let kind: Declaration.Kind
    /// Whether only the declaring file sees it.
    let isHidden: Bool
    /// The extensions, as indices of files and declarations.
    package fileprivate(set) var extensions: [Place] = []

    package struct Place: Sendable, Hashable {
        package var file: Int
        package var declaration: Int
    }

    /// The declaration and its extensions.
    package var places: [Place] { [Place(file: file, declaration: declaration)] + extensions }
}

/// What a name means.
package enum Resolution: Sendable, Hashable {
    /// The index of a type of the project.
    case project(Int)
    case external(ExternalType)
    /// A generic parameter or an associated type.
    case generic(TypeReference?)
    case unknown
}

// MARK: - Joining

extension ProjectFacts {
    private mutating func noteModules() {
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

    private mutating func noteTypes() {
        for (fileIndex, file) in files.enumerated() {
            typeByDeclaration.append(Array(repeating: nil, count: file.declarations.count))
            functionsByDeclaration.append(Array(repeating: [], count: file.declarations.count))
            for (index, function) in file.functions.enumerated() {
                if let owner = function.declaration { functionsByDeclaration[fileIndex][owner].append(index) }
            }
            for (index, declaration) in file.declarations.enumerated() where declaration.kind != .extension {
                let path = (declaration.scope + [declaration.name]).joined(separator: ".")
                typeByDeclaration[fileIndex][index] = types.count
                typesByName[TypeName(module: file.module, path: path), default: []].append(types.count)
                let parts = path.split(separator: ".", omittingEmptySubsequences: false)
                depths[parts.last.map(String.init) ?? "", default: 0].raise(to: parts.count)
                types.append(
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

    private mutating func noteExtensions() {
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
    private func nominal(_ resolution: Resolution, depth: Int = 0) -> Resolution {
        guard case .project(let index) = resolution, types[index].kind == .alias, depth < 8 else { return resolution }
        let declaration = declaration(of: types[index])
        guard let target = declaration.target, target.form == .named else { return .unknown }
        return nominal(lookUp(target.name, types[index].file, declaration.scope, Site()), depth: depth + 1)
    }

    private mutating func noteRoles() {
        rolesByType = types.map { KnownTypes.roles(of: $0.path, in: $0.module) ?? [] }
        for index in types.indices where [.class, .actor].contains(types[index].kind) {
            rolesByType[index].insert(.reference)
        }
        // Each round carries roles one step along inheritance, so a chain of any length ends.
        var changed = true
        while changed {
            changed = false
            for index in types.indices {
                let gained = inheritedRoles(of: types[index])
                if !rolesByType[index].isSuperset(of: gained) {
                    rolesByType[index].formUnion(gained)
                    changed = true
                }
            }
        }
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
                roles.formUnion(KnownTypes.macros[attribute.name] ?? [])
            }
        }
        // A struct may conform to a protocol of values and references alike.
        if type.kind == .struct || type.kind == .enum { roles.remove(.reference) }
        return roles
    }
}

// MARK: - Members

extension ProjectFacts {
    package func declaration(of type: ProjectType) -> Declaration { files[type.file].declarations[type.declaration] }

    package func declaration(_ place: ProjectType.Place) -> Declaration {
        files[place.file].declarations[place.declaration]
    }

    /// The functions, initializers and accessors that a declaration contains, with their indices in the file.
    package func functions(_ place: ProjectType.Place) -> [Int] {
        functionsByDeclaration[place.file][place.declaration]
    }

    /// The type that a declaration declares or extends; nil for an extension of another module's type.
    package func type(declaredBy declaration: Int?, in file: Int) -> Int? {
        declaration.flatMap { typeByDeclaration[file][$0] }
    }

    package func roles(of type: Int) -> Roles { rolesByType[type] }

    /// The types with one of the roles that are no protocols and no aliases, with their indices.
    package func types(with roles: Roles) -> [(index: Int, type: ProjectType)] {
        types.enumerated().filter {
            !rolesByType[$0.offset].isDisjoint(with: roles) && ![.protocol, .alias].contains($0.element.kind)
        }.map { (index: $0.offset, type: $0.element) }
    }

    /// The stored and computed properties of a type and its extensions.
    package func properties(of type: ProjectType) -> [(place: ProjectType.Place, property: Property)] {
        type.places.flatMap { place in declaration(place).properties.map { (place: place, property: $0) } }
    }

    /// The name for people: without the numbers of functions.
    package func displayName(of type: ProjectType) -> String {
        type.path.split(separator: ".").filter { !$0.hasPrefix("$") }.joined(separator: ".")
    }

    package func sees(_ module: String, _ file: Int) -> Bool { visibleModules[file].contains(module) }
}

// MARK: - Names

extension ProjectFacts {
    /// The first of the types of a module with a path.
    func firstType(_ path: String, in module: String) -> Int? {
        typesByName[TypeName(module: module, path: path)]?.first
    }

    /// What a named reference means at a place. References to `any P`, `some P` and `P?` mean `P`.
    package func resolve(_ reference: TypeReference, in file: Int, at site: Site) -> Resolution {
        resolve(reference, in: file, scope: nil, site)
    }

    private func resolve(_ reference: TypeReference, in file: Int, scope: [String]?, _ site: Site) -> Resolution {
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
    private func lookUp(_ path: String, _ file: Int, _ scope: [String]?, _ site: Site) -> Resolution {
        guard !path.isEmpty else { return .unknown }
        let isOneName = !path.utf8.contains(UInt8(ascii: "."))
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
            if let found = only(typesByName[TypeName(module: module, path: path)], file) { return found }
        }
        if parts.count > 1, visibleModules[file].contains(parts[0]) {
            let rest = parts.dropFirst().joined(separator: ".")
            if let found = only(typesByName[TypeName(module: parts[0], path: rest)], file) { return found }
            let modules = [parts[0]] + (KnownTypes.reexports[parts[0]] ?? [])
            return KnownTypes.type(rest, in: modules).map { .external($0) } ?? .unknown
        }
        return KnownTypes.type(path, in: visibleModules[file]).map { .external($0) } ?? .unknown
    }

    /// Searches the scopes from the inside out: in the file's module, and for extensions in the imported modules.
    private func inScopes(_ parts: [String], _ file: Int, _ scope: [String]) -> Resolution? {
        for count in stride(from: scope.count, through: 0, by: -1) {
            let path = (scope[..<count] + parts).joined(separator: ".")
            if let found = only(typesByName[TypeName(module: files[file].module, path: path)], file) { return found }
            // The first part may be an alias of a type with the rest as its member.
            let first = (scope[..<count] + parts[..<1]).joined(separator: ".")
            if parts.count > 1,
                case .project(let outer)? = only(typesByName[TypeName(module: files[file].module, path: first)], file),
                case .project(let type) = nominal(.project(outer)), type != outer
            {
                return member(parts.dropFirst(), of: type, file)
            }
            guard count > 0 else { continue }
            for module in visibleModules[file].dropFirst() {
                if let found = only(typesByName[TypeName(module: module, path: path)], file) { return found }
            }
        }
        return nil
    }

    private func member(_ parts: ArraySlice<String>, of type: Int, _ file: Int) -> Resolution {
        let path = ([types[type].path] + parts).joined(separator: ".")
        return only(typesByName[TypeName(module: types[type].module, path: path)], file) ?? .unknown
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

// MARK: - Roles of references

extension ProjectFacts {
    /// The roles of what a reference means: of `P` for `any P`, of each part for `P & Q`, and of the target of an alias.
    package func roles(of reference: TypeReference, in file: Int, at site: Site) -> Roles {
        roles(of: reference, in: file, scope: nil, site)
    }

    private func roles(of reference: TypeReference, in file: Int, scope: [String]?, _ site: Site) -> Roles {
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

extension KnownTypes {
    static let macros: [String: Roles] = [
        "AxiomState": .state, "AxiomAction": .action, "AxiomCapability": [.component, .capability, .reference],
        "AxiomClient": [.component, .client, .reference], "AxiomContext": [.component, .context, .reference],
    ]

    static func roles(of path: String, in module: String) -> Roles? {
        byName[path]?.first { $0.module == module }?.roles
    }

    static func type(_ path: String, in modules: [String]) -> ExternalType? {
        byName[path]?.first { modules.contains($0.module) }
    }
}
#endif
