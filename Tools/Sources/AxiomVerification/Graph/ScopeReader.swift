// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Finds what is resolved through scopes, also in functions and types that get the scope of a component.
///
/// ```swift
/// orders = try OrderQueue(scope, clock: clock)   // what the initializer resolves belongs to the component
/// ```
struct ScopeReader {
    private struct FunctionKey: Hashable {
        let file: Int
        let function: Int
    }

    /// A call that passes a scope on.
    private struct Passing {
        let file: Int
        let call: Call
        let targets: [FunctionKey]
    }

    private static let kinds: [String: StaticGraph.Kind] = [
        "client": .client, "capability": .capability, "context": .context,
    ]

    private let project: ProjectFacts
    /// What a function outside of components resolves.
    private var resolved: [FunctionKey: [Composition.Use]] = [:]
    /// The functions that take a scope, by their names; initializers by the index of their type.
    private var functions: [String: [FunctionKey]] = [:]
    private var initializers: [Int: [FunctionKey]] = [:]
    /// The last names of what may mean one of those types.
    private var madeNames: Set<String> = ["Self"]

    init(_ project: ProjectFacts) {
        self.project = project
        for (file, facts) in project.files.enumerated() where !facts.isTest {
            for (index, function) in facts.functions.enumerated() where takesScope(function, in: file) {
                let key = FunctionKey(file: file, function: index)
                if function.kind == .initializer, let type = project.type(declaredBy: function.declaration, in: file) {
                    initializers[type, default: []].append(key)
                } else if function.kind == .function {
                    functions[function.name, default: []].append(key)
                }
            }
        }
        for index in project.types.indices where initializers[index] != nil || project.types[index].kind == .alias {
            madeNames.insert(project.types[index].path.lastName)
        }
    }

    private func takesScope(_ function: Function, in file: Int) -> Bool {
        let site = Site(declaration: function.declaration)
        if project.isInScopeExtension(site, in: file) { return true }
        return function.parameters.contains { parameter in
            parameter.type.map { project.roles(of: $0, in: file, at: site).contains(.scope) } ?? false
        }
    }

    /// All uses, each with its component, in the order of files and places.
    ///
    /// - Parameter owner: The component of a call; nil if it stands in none.
    mutating func uses(owner: (Call, Int) -> Composition.Key?) -> [(owner: Composition.Key, use: Composition.Use)] {
        var found: [(owner: Composition.Key, use: Composition.Use)] = []
        var passings: [Passing] = []
        for file in project.files.indices where !project.files[file].isTest {
            let calls = project.files[file].calls
            for index in calls.indices where mayUseScope(calls[index]) {
                let call = calls[index]
                if let use = use(of: call, in: file) {
                    if let owner = owner(call, file) {
                        found.append((owner, use))
                    } else if let function = outermost(call, in: file) {
                        resolved[function, default: []].append(use)
                    }
                } else if let passing = passing(call, in: file) {
                    passings.append(passing)
                }
            }
        }
        spread(passings, owner)
        for passing in passings {
            guard let component = owner(passing.call, passing.file) else { continue }
            found += passing.targets.flatMap { resolved[$0] ?? [] }.map { (component, $0) }
        }
        return found
    }

    private func mayUseScope(_ call: Call) -> Bool {
        if let made = call.made, made.form != .named || madeNames.contains(made.lastName) { return true }
        let name = call.name
        return Self.kinds[name] != nil || functions[name] != nil
    }

    /// Adds what is resolved in called functions to their callers, until nothing changes.
    private mutating func spread(_ passings: [Passing], _ owner: (Call, Int) -> Composition.Key?) {
        let between = passings.filter { owner($0.call, $0.file) == nil }
        var changed = true
        while changed {
            changed = false
            for passing in between {
                guard let caller = outermost(passing.call, in: passing.file) else { continue }
                let known = Set(resolved[caller] ?? [])
                let new = passing.targets.filter { $0 != caller }.flatMap { resolved[$0] ?? [] }.filter {
                    !known.contains($0)
                }
                guard !new.isEmpty else { continue }
                resolved[caller, default: []] += new.uniqued()
                changed = true
            }
        }
    }

    private func use(of call: Call, in file: Int) -> Composition.Use? {
        guard let kind = Self.kinds[call.name], let type = call.types.first, type.label.isEmpty,
            isScope(call.base, call.site, in: file)
        else { return nil }
        let requested = project.compositionKey(of: type.type, in: file, at: call.site)
        return Composition.Use(kind: kind, requested: requested, file: file, span: call.whole)
    }

    private func passing(_ call: Call, in file: Int) -> Passing? {
        var targets: [FunctionKey] = []
        if let made = call.made, case .project(let type) = project.compositionKey(of: made, in: file, at: call.site) {
            targets = initializers[type] ?? []
        } else {
            targets = functions[call.name] ?? []
        }
        guard !targets.isEmpty else { return nil }
        let passesScope = (call.arguments + [call.base]).contains { !$0.isEmpty && isScope($0, call.site, in: file) }
        return passesScope || isScope(call.base, call.site, in: file)
            ? Passing(file: file, call: call, targets: targets) : nil
    }

    /// Whether a path names a scope: a parameter of that type, the parameter of a factory, or `self` in an extension of one.
    private func isScope(_ path: String, _ site: Site, in file: Int) -> Bool {
        let facts = project.files[file]
        if path.isEmpty { return project.isInScopeExtension(site, in: file) }
        for index in project.functionChain(of: site, in: file) {
            let owner = Site(declaration: facts.functions[index].declaration)
            if let parameter = facts.functions[index].parameters.first(where: { $0.name == path }) {
                return parameter.type.map { project.roles(of: $0, in: file, at: owner).contains(.scope) } ?? false
            }
        }
        var next = site.closure
        while let index = next {
            let closure = facts.closures[index]
            let isParameter =
                path == "$0"
                ? !closure.hasSignature || closure.parameters.isEmpty : closure.parameters.first?.name == path
            if isParameter {
                guard let call = closure.call else { return false }
                return ["register", "override"].contains(facts.calls[call].name)
            }
            if path == "$0" { return false }
            next = closure.site.closure
        }
        return false
    }

    private func outermost(_ call: Call, in file: Int) -> FunctionKey? {
        project.functionChain(of: call.site, in: file).last.map { FunctionKey(file: file, function: $0) }
    }
}
