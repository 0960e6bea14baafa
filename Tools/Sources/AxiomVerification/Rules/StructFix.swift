// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

// A fix that makes a struct of a class is offered only if nothing in the project needs a reference: the identity of an instance,
// a reference that does not own it, a change through a constant, or a class where a type is demanded. What is not known counts
// as such a need.

extension ProjectFacts {
    /// Makes a class a struct, if it stands in the file of the finding, has nothing that only classes have, and is used as a value
    /// is used.
    func structFix(_ index: Int, in file: Int) -> Fix? {
        let type = types[index]
        let declaration = declaration(of: type)
        guard type.kind == .class, type.file == file, mayBeStruct(index), !containsItself(index),
            !isComparedByIdentity(index), !isHeldWeakly(index), !isWhereClassesAre(index),
            !isChanged(changeableNames(of: type), of: index)
        else { return nil }
        var edits = [Edit(replacing: declaration.keyword.offsets, with: "struct")]
        if let final = declaration.final { edits.insert(Edit(replacing: final.offsets, with: ""), at: 0) }
        return Fix("Make \(displayName(of: type)) a struct", edits: edits, safety: .review)
    }

    /// Whether a class inherits from protocols alone and nothing from it, and has no member that only classes have.
    private func mayBeStruct(_ index: Int) -> Bool {
        let type = types[index]
        let ofClasses: Set = ["open", "class", "override", "required", "convenience", "dynamic"]
        return type.places.allSatisfy { place in
            let part = declaration(place)
            let functions = functions(place).map { files[place.file].functions[$0] }
            let members = Array((functions.map(\.modifiers) + part.properties.map(\.modifiers)).joined())
            // A struct changes a lazy variable when it is read.
            return !functions.contains { $0.kind == .deinitializer }
                && ofClasses.isDisjoint(with: part.modifiers + members)
                && !members.contains { $0 == "final" || $0 == "lazy" }
                && part.properties.allSatisfy(\.attributes.isEmpty)
                && part.attributes.allSatisfy { $0.name == "MainActor" }
                && part.inherited.allSatisfy { isProtocolOfValues($0, place.file, site(around: type)) }
        } && !superclasses.contains(index)
    }

    /// Whether a reference is to a protocol that a struct may conform to. An unknown type may be a class.
    private func isProtocolOfValues(_ reference: TypeReference, _ file: Int, _ site: Site) -> Bool {
        let standard: Set = [
            "Sendable", "Equatable", "Hashable", "Comparable", "Codable", "Encodable", "Decodable", "Identifiable",
            "CustomStringConvertible", "CustomDebugStringConvertible",
        ]
        switch resolve(reference, in: file, at: site) {
        case .project(let index): return types[index].kind == .protocol && !roles(of: index).contains(.reference)
        case .external(let type): return !type.roles.contains(.reference)
        case .generic, .unknown: return standard.contains(reference.name)
        }
    }

    /// Whether a type would contain itself. A class in between may become a struct too.
    private func containsItself(_ index: Int) -> Bool {
        var (seen, open) = (Set<Int>(), [index])
        while let next = open.popLast() {
            for (_, reference, file, site) in contents(of: types[next]) {
                for mention in mentions(in: reference, file: file, at: site) {
                    guard case .project(let inner) = mention.resolution else { continue }
                    if inner == index { return true }
                    if seen.insert(inner).inserted { open.append(inner) }
                }
            }
        }
        return false
    }
}

// MARK: - Identity

extension ProjectFacts {
    /// Whether an instance is an operand of `===`, or its address is taken.
    private func isComparedByIdentity(_ index: Int) -> Bool {
        let takers: Set = ["ObjectIdentifier", "isKnownUniquelyReferenced"]
        for file in files.indices {
            for use in files[file].identities where mayBe(use.name, index, use.site, file) { return true }
            for call in files[file].calls where takers.contains(call.name) || call.callee.hasPrefix("Unmanaged.") {
                if call.arguments.contains(where: { mayBe($0, index, call.site, file) }) { return true }
            }
        }
        return false
    }

    /// Whether something holds an instance without owning it.
    private func isHeldWeakly(_ index: Int) -> Bool {
        for file in files.indices {
            for (number, declaration) in files[file].declarations.enumerated() {
                let site = Site(declaration: number)
                for property in declaration.properties
                where property.modifiers.contains(where: { $0 == "weak" || $0.hasPrefix("unowned") }) {
                    if mayBe(property.type, index, file, site) { return true }
                }
            }
            for global in files[file].globals where global.modifiers.contains("weak") {
                if mayBe(global.type, index, file, Site()) { return true }
            }
            for closure in files[file].closures {
                for capture in closure.captures where capture.hasPrefix("weak") || capture.hasPrefix("unowned") {
                    // `weak box`, or `weak box = self.box`.
                    let value = capture.split(separator: "=").last.map(String.init) ?? capture
                    let path = value.split(separator: " ").last.map(String.init) ?? ""
                    let name = path.hasPrefix("self.") ? String(path.dropFirst(5)) : path
                    if mayBe(name, index, closure.site, file) { return true }
                }
            }
        }
        return false
    }

    /// Whether the value of a path may be an instance of a type: true for what is not known to be another one.
    private func mayBe(_ path: String, _ index: Int, _ site: Site, _ file: Int) -> Bool {
        if path == "self" { return type(declaredBy: site.declaration, in: file) == index }
        let types = declaredTypes(of: path, site, file)
        return types.isEmpty || types.contains { mayBe($0.type, index, $0.file, $0.site) }
    }

    /// The types that declarations give to the last name of a path: the local variable, the parameter or the member that it is,
    /// else all members and global variables of the name.
    private func declaredTypes(
        of path: String,
        _ site: Site,
        _ file: Int
    ) -> [(type: TypeReference?, file: Int, site: Site)] {
        let name = path.lastName
        guard !name.isEmpty, name != "()" else { return [] }
        if path == name {
            let chain = functionChain(of: site, in: file)
            let locals = files[file].locals
            if let found = locals.last(where: { $0.name == name && chain.contains($0.site.function ?? -1) }) {
                return [(found.type ?? found.value?.made, file, found.site)]
            }
            for function in chain {
                let parameters = files[file].functions[function].parameters
                guard let found = parameters.first(where: { $0.name == name }) else { continue }
                return [(found.type, file, Site(declaration: site.declaration, function: function))]
            }
            if let owner = type(declaredBy: site.declaration, in: file), let own = property(name, of: types[owner]) {
                let type = own.property.type ?? own.property.initial?.made
                return [(type, own.place.file, Site(declaration: own.place.declaration))]
            }
        }
        return files.indices.flatMap { other -> [(type: TypeReference?, file: Int, site: Site)] in
            let members = files[other].declarations.enumerated().flatMap { number, declaration in
                declaration.properties.filter { $0.name == name }.map { ($0, Site(declaration: number)) }
            }
            let globals = files[other].globals.filter { $0.name == name }.map { ($0, Site()) }
            return (members + globals).map { (type: $0.0.type ?? $0.0.initial?.made, file: other, site: $0.1) }
        }
    }

    /// Whether a value of a type may be an instance of another one: true unless it is known to be an instance of other classes.
    private func mayBe(_ type: TypeReference?, _ index: Int, _ file: Int, _ site: Site) -> Bool {
        guard var type else { return true }
        while type.name == "Optional", let inner = type.arguments.first { type = inner }
        switch resolve(type, in: file, at: site) {
        case .project(let other): return other == index || ![.class, .actor].contains(types[other].kind)
        case .external(let other): return ["AnyObject", "Actor", "AnyActor"].contains(other.name)
        case .generic, .unknown: return true
        }
    }
}

// MARK: - Demanded classes

extension ProjectFacts {
    /// Whether the type is a bound, a part of a composition, or an argument of a generic type that may demand a class; or whether
    /// something in the project takes any object.
    private func isWhereClassesAre(_ index: Int) -> Bool {
        for file in files.indices {
            for (number, declaration) in files[file].declarations.enumerated() {
                let site = Site(declaration: number)
                let bounds = (declaration.generics + declaration.associatedTypes).compactMap(\.bound)
                // A protocol of classes demands them of those who conform, which the class does not.
                let inherited = declaration.kind == .protocol ? declaration.inherited : []
                if bounds.contains(where: { demands($0, index, file, site, isBound: true) })
                    || inherited.contains(where: { means($0, index, file, site) })
                {
                    return true
                }
                let held = declaration.properties.flatMap { [$0.type, $0.initial?.made] } + [declaration.target]
                let payloads = declaration.cases.flatMap(\.payload)
                if (held.compactMap(\.self) + payloads).contains(where: { demands($0, index, file, site) }) {
                    return true
                }
            }
            for global in files[file].globals {
                let types = [global.type, global.initial?.made].compactMap(\.self)
                if types.contains(where: { demands($0, index, file, Site()) }) { return true }
            }
            for (number, function) in files[file].functions.enumerated() {
                let site = Site(declaration: function.declaration, function: number)
                let types = function.parameters.compactMap(\.type) + [function.result].compactMap(\.self)
                if types.contains(where: { demands($0, index, file, site) })
                    || function.generics.compactMap(\.bound).contains(where: {
                        demands($0, index, file, site, isBound: true)
                    })
                {
                    return true
                }
            }
            for local in files[file].locals {
                let types = [local.type, local.value?.made].compactMap(\.self)
                if types.contains(where: { demands($0, index, file, local.site) }) { return true }
            }
            for call in files[file].calls {
                if let made = call.made, demands(made, index, file, call.site) { return true }
            }
        }
        return false
    }

    private func demands(
        _ reference: TypeReference,
        _ index: Int,
        _ file: Int,
        _ site: Site,
        isBound: Bool = false
    ) -> Bool {
        reference.all.contains { part in
            if part.form == .named, part.lastName == "AnyObject" || part.lastName == "ReferenceWritableKeyPath" {
                return true
            }
            if isBound, means(part, index, file, site) { return true }
            guard part.arguments.contains(where: { means($0, index, file, site) }) else { return false }
            return part.form == .composition || (part.form == .named && !takesValues(part, file, site))
        }
    }

    private func means(_ reference: TypeReference, _ index: Int, _ file: Int, _ site: Site) -> Bool {
        reference.form == .named && resolve(reference, in: file, at: site) == .project(index)
    }

    /// Whether a generic type is known to take values as its arguments.
    private func takesValues(_ reference: TypeReference, _ file: Int, _ site: Site) -> Bool {
        let standard: Set = [
            "Array", "ArraySlice", "ContiguousArray", "Dictionary", "Optional", "Result", "Set", "Mutex", "AsyncStream",
            "AsyncThrowingStream", "CheckedContinuation", "Task", "StateStore", "StateStream", "PersistentStore",
            "ClientOf",
            "Client", "StatelessClient", "DurableStore", "TestableClient", "TestClient", "KeyPath", "WritableKeyPath",
        ]
        guard case .project(let owner) = resolve(reference, in: file, at: site) else {
            return standard.contains(reference.lastName)
        }
        // A bound AnyObject is found where it is written.
        return !roles(of: owner).contains(.scope)
    }
}

// MARK: - Changes

extension ProjectFacts {
    /// The variables of the instances of a type, also those that only have a setter.
    private func changeableNames(of type: ProjectType) -> Set<String> {
        Set(properties(of: type).map(\.property).filter { !$0.isStatic && $0.isVariable }.map(\.name))
    }

    /// Whether code changes one of some properties of a type elsewhere than in its initializers, and in closures that get a
    /// changeable value. A property of another type that has the name does not count, as far as the type is known.
    func isChanged(_ names: Set<String>, of index: Int) -> Bool {
        guard !names.isEmpty else { return false }
        for file in files.indices {
            let assigned = files[file].assignments.map { ($0.target, $0.site) }
            let changed = files[file].changes.map { ($0.name, $0.site) }
            // A method may change what it is called on.
            let called = files[file].calls.filter { !Self.readers.contains($0.name) && !$0.base.isEmpty }
            for (path, site) in assigned + changed + called.map({ ($0.base, $0.site) })
            where changes(path, names, index, site, file) {
                return true
            }
        }
        return false
    }

    /// Well-known methods that change nothing.
    private static let readers: Set = [
        "allSatisfy", "compactMap", "contains", "count", "description", "distance", "dropFirst", "dropLast",
        "elementsEqual",
        "encode", "enumerated", "filter", "first", "firstIndex", "flatMap", "forEach", "formatted", "hasPrefix",
        "hasSuffix", "hash",
        "index", "joined", "last", "lastIndex", "lowercased", "map", "mapValues", "max", "min", "prefix", "reduce",
        "reversed",
        "sorted", "split", "starts", "suffix", "trimmingCharacters", "uppercased",
    ]

    private func changes(_ path: String, _ names: Set<String>, _ index: Int, _ site: Site, _ file: Int) -> Bool {
        let parts = path.split(separator: ".").map(String.init)
        guard let place = parts.firstIndex(where: names.contains) else { return false }
        let owner = type(declaredBy: site.declaration, in: file)
        guard place > 0 else {
            // A bare name is a member of the type around, or a variable of the function.
            guard owner == index, !isLocal(parts[0], site, file) else { return false }
            return !isInitializer(site, file)
        }
        let root = parts[0]
        let closures = closures(around: site, in: file)
        if root == "$0" || closures.contains(where: { $0.parameters.first?.name == root }) {
            let call = closures.first { root == "$0" || $0.parameters.first?.name == root }?.call
            let name = call.map { files[file].calls[$0].name } ?? ""
            // The closure of `observe` gets the context around.
            if name == "observe", place == 1 { return owner == index }
            return !["update", "withLock"].contains(name)
        }
        return mayHold(parts[..<place].joined(separator: "."), index, site, file)
    }

    private func closures(around site: Site, in file: Int) -> [Closure] {
        var found: [Closure] = []
        var next = site.closure
        while let index = next {
            found.append(files[file].closures[index])
            next = files[file].closures[index].site.closure
        }
        return found
    }

    private func isInitializer(_ site: Site, _ file: Int) -> Bool {
        site.closure == nil && site.function.map { files[file].functions[$0].kind == .initializer } ?? false
    }

    /// Whether the value of a path may be an instance of a type, which may be a value.
    private func mayHold(_ path: String, _ index: Int, _ site: Site, _ file: Int) -> Bool {
        let types = declaredTypes(of: path, site, file)
        return types.isEmpty
            || types.contains { found in
                guard var type = found.type else { return true }
                while type.name == "Optional", let inner = type.arguments.first { type = inner }
                return switch resolve(type, in: found.file, at: found.site) {
                case .project(let other): other == index || self.types[other].kind == .protocol
                case .external: false
                case .generic, .unknown: true
                }
            }
    }
}
