// SPDX-License-Identifier: Apache-2.0

/// What the files of a project declare, joined across files. Rules judge this alone.
///
/// Names are resolved as the compiler does it, as far as declarations allow: the scopes around, then the module, then what
/// the file imports. A name with no or several meanings is unknown, and no rule reports it. What the macros of
/// `AxiomMacros` write counts as written.
package struct ProjectFacts: Sendable {
    /// The files, in order of their paths.
    package private(set) var files: [FileFacts]
    /// What is known besides the source, such as layers.
    package var environment = ProjectEnvironment()
    /// The types, protocols and aliases of all files, in order of files and places.
    package internal(set) var types: [ProjectType] = []
    /// The functions of each declaration: `[file][declaration]`.
    var functionsByDeclaration: [[[Int]]] = []
    /// The type that a declaration declares or extends: `[file][declaration]`.
    var typeByDeclaration: [[Int?]] = []
    /// The types of all modules, by their paths.
    private(set) var typesByPath: [String: [Int]] = [:]
    /// How many parts the longest path of a type has, by the last part. A name that is no key here names no type of the project.
    var depths: [String: Int] = [:]
    /// The modules that each file sees, its own first.
    var visibleModules: [[String]] = []
    var rolesByType: [Roles] = []
    /// The files that declare a global variable or constant, by its name.
    var globalFiles: [String: [Int]] = [:]
    let memo = ProjectMemo()

    package init() {
        self.init(files: [])
    }

    package init(files: [FileFacts]) {
        self.files = files.sorted { $0.path < $1.path }
        noteModules()
        for index in self.files.indices where sees("AxiomMacros", index) {
            self.files[index].addMembersOfMacros()
        }
        noteTypes()
        noteExtensions()
        noteRoles()
        for index in self.files.indices {
            for global in self.files[index].globals { globalFiles[global.name, default: []].append(index) }
        }
    }
}

extension ProjectFacts {
    mutating func add(_ type: ProjectType) {
        typesByPath[type.path, default: []].append(types.count)
        types.append(type)
    }

    /// Those of some types that a module declares; nil for none.
    func types(_ candidates: [Int], in module: String) -> [Int]? {
        // Almost no path is declared twice.
        if candidates.count == 1 { return types[candidates[0]].module == module ? candidates : nil }
        let own = candidates.filter { types[$0].module == module }
        return own.isEmpty ? nil : own
    }

    /// The types of a module with a path; nil for none.
    func types(_ path: String, in module: String) -> [Int]? {
        typesByPath[path].flatMap { types($0, in: module) }
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
    package internal(set) var extensions: [Place] = []

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
