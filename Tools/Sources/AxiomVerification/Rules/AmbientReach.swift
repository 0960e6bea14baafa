// SPDX-License-Identifier: Apache-2.0

/// The functions that change or read what all code shares: global functions, static ones, and the getters of such variables.
struct AmbientReach {
    /// The functions of each file that reach a global variable or a shared static member.
    private var functions: [Set<Int>]
    /// The files of the global ones, by their names, and whether other files see them.
    private var globals: [String: [(file: Int, isHidden: Bool)]] = [:]
    /// The static ones, by the type and their names.
    private var statics: [Int: Set<String>] = [:]

    init(_ project: ProjectFacts) {
        var shared: [Int: Set<String>] = [:]
        for (index, type) in project.types.enumerated() {
            for (place, property) in project.properties(of: type) where project.isSharedStatic(property, place) {
                shared[index, default: []].insert(property.name)
            }
        }
        let names = shared.values.reduce(into: Set(project.globalFiles.keys)) { $0.formUnion($1) }
        functions = project.files.indices.map { Self.direct($0, shared, names, project) }
        repeat { note(project) } while extend(project)
    }

    /// The functions that name such a variable themselves, or contain one that does.
    ///
    /// - Parameters:
    ///   - shared: The shared static members of each type.
    ///   - names: The names of all of them, and of all global variables.
    private static func direct(
        _ file: Int,
        _ shared: [Int: Set<String>],
        _ names: Set<String>,
        _ project: ProjectFacts
    ) -> Set<Int> {
        var found: Set<Int> = []
        for use in project.files[file].names where use.site.function != nil && names.contains(use.name) {
            guard isAmbient(use, file, shared, project), !project.isLocal(use.name, use.site, file) else { continue }
            found.formUnion(project.functionChain(of: use.site, in: file))
        }
        for use in project.files[file].statics where use.site.function != nil && names.contains(use.member) {
            guard case .project(let owner) = project.resolve(use.type, in: file, at: use.site),
                shared[owner]?.contains(use.member) ?? false
            else { continue }
            found.formUnion(project.functionChain(of: use.site, in: file))
        }
        return found
    }

    /// Whether a name is that of a global variable, or of a shared static member in a static function of its type.
    private static func isAmbient(
        _ use: NameUse,
        _ file: Int,
        _ shared: [Int: Set<String>],
        _ project: ProjectFacts
    ) -> Bool {
        guard let type = project.type(declaredBy: use.site.declaration, in: file) else {
            return use.site.declaration == nil && project.isGlobalVariable(use.name, file)
        }
        if shared[type]?.contains(use.name) ?? false { return project.isInStaticFunction(use.site, file) }
        return project.isGlobalVariable(use.name, file)
            && project.property(use.name, of: project.types[type]) == nil
    }

    /// Notes what a name reaches.
    private mutating func note(_ project: ProjectFacts) {
        (globals, statics) = ([:], [:])
        for file in functions.indices {
            for number in functions[file] {
                let function = project.files[file].functions[number]
                guard function.parent == nil, [.function, .accessor].contains(function.kind) else { continue }
                guard let declaration = function.declaration else {
                    let isHidden = ["private", "fileprivate"].contains { function.modifiers.contains($0) }
                    globals[function.name, default: []].append((file, isHidden))
                    continue
                }
                guard function.isStatic, let type = project.type(declaredBy: declaration, in: file) else { continue }
                statics[type, default: []].insert(function.name)
            }
        }
    }

    /// Adds the functions that use those which are known. Returns whether there were any.
    private mutating func extend(_ project: ProjectFacts) -> Bool {
        var hasGrown = false
        let members = statics.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for file in functions.indices {
            func add(_ site: Site, _ functions: inout [Set<Int>]) {
                for number in project.functionChain(of: site, in: file) where functions[file].insert(number).inserted {
                    hasGrown = true
                }
            }
            for use in project.files[file].names where use.site.function != nil {
                guard reaches(use.name, file, project) || reachesOwn(use, file, project),
                    !project.isLocal(use.name, use.site, file)
                else { continue }
                add(use.site, &functions)
            }
            for use in project.files[file].statics where use.site.function != nil && members.contains(use.member) {
                guard case .project(let owner) = project.resolve(use.type, in: file, at: use.site),
                    statics[owner]?.contains(use.member) ?? false
                else { continue }
                add(use.site, &functions)
            }
        }
        return hasGrown
    }

    /// Whether a name is that of a static function around it which reaches something.
    private func reachesOwn(_ use: NameUse, _ file: Int, _ project: ProjectFacts) -> Bool {
        guard let type = project.type(declaredBy: use.site.declaration, in: file) else { return false }
        return (statics[type]?.contains(use.name) ?? false) && project.isInStaticFunction(use.site, file)
    }

    /// Whether a file sees a global function or variable that reaches something.
    fileprivate func reaches(_ name: String, _ file: Int, _ project: ProjectFacts) -> Bool {
        guard let declaring = globals[name] else { return false }
        return declaring.contains { other in
            let module = project.files[other.file].module
            return other.file == file
                || (!other.isHidden && (module == project.files[file].module || project.sees(module, file)))
        }
    }

    fileprivate func reaches(_ member: String, of owner: Int) -> Bool { statics[owner]?.contains(member) ?? false }
}

extension ProjectFacts {
    private var ambientReach: AmbientReach {
        if let known = memo[AmbientReach.self] { return known }
        let reach = AmbientReach(self)
        memo[AmbientReach.self] = reach
        return reach
    }

    /// Whether a global function or computed variable reaches what all code shares.
    func globalReaches(_ name: String, _ file: Int) -> Bool { ambientReach.reaches(name, file, self) }

    /// Whether a static function or computed variable does.
    func reaches(_ member: String, of owner: Int) -> Bool { ambientReach.reaches(member, of: owner) }

    /// Whether a type has a function of a name, which hides a global one.
    func hasFunction(_ name: String, _ type: ProjectType) -> Bool {
        type.places.contains { place in functions(place).contains { files[place.file].functions[$0].name == name } }
    }

    fileprivate func isInStaticFunction(_ site: Site, _ file: Int) -> Bool {
        functionChain(of: site, in: file).last.map { files[file].functions[$0].isStatic } ?? false
    }
}
