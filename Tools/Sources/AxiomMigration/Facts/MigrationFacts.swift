// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax
internal import SwiftSyntax

/// What the files of a project say together, before the first recipe changes them.
///
/// Recipes see the file as earlier recipes left it, and these facts, which stay. So a recipe knows that a type was a client of
/// revision 3, whatever its declaration says by now.
package struct MigrationFacts: Sendable {
    /// Types by name. Two types with one name are joined, which makes recipes careful rather than wrong.
    private(set) var types: [String: TypeFacts] = [:]
    private(set) var clients: [String: ClientFacts] = [:]
    private(set) var capabilities: Set<String> = []
    private(set) var contexts: [String: ContextFacts] = [:]
    private(set) var orchestrators: Set<String> = []
    /// The types that clients of old versions own.
    private(set) var states: Set<String> = []
    private(set) var actions: Set<String> = []
    /// Whether an expression may read the identifier of a state.
    private(set) var readsStateID = false
    /// The methods that send an action with `dispatch`, by context.
    private(set) var dispatchingMethods: [String: Set<String>] = [:]
    /// The protocols and classes that the project declares, which are not those of the framework.
    private let declared: DeclaredBases
    /// Whether a file imports Axiom, or the version is given. If not, no recipe runs.
    private(set) var usesAxiom = false
    /// The version of each file, by path.
    private(set) var dialects: [String: Dialect] = [:]

    /// Reads files.
    ///
    /// - Parameter dialect: The version of all files that are not written for 1.0; nil to detect it.
    package init(_ files: [SourceText], dialect: Dialect? = nil) {
        self.init(files.map(ParsedFile.init), dialect: dialect)
    }

    init(_ files: [ParsedFile], dialect: Dialect? = nil) {
        usesAxiom = dialect != nil || files.contains(where: Dialect.importsAxiom)
        declared = DeclaredBases(files)
        for file in files {
            let dialect = self.dialect(of: file, given: dialect)
            dialects[file.path] = dialect
            for node in file.types {
                let type = TypeFacts(node, path: file.path, dialect: dialect, declared: declared(in: file.path))
                types[node.name, default: type].merge(type, isFirst: types[node.name] == nil)
            }
        }
        findRoles()
        for file in files { findDispatchingMethods(in: file) }
        readsStateID = files.contains { readsStateID(in: $0) }
    }

    private func dialect(of file: ParsedFile, given: Dialect?) -> Dialect {
        guard usesAxiom else { return .none }
        let detected = Dialect.detected(in: file, declared: declared(in: file.path))
        return detected == .current ? .current : (given ?? detected)
    }

    private mutating func findDispatchingMethods(in file: ParsedFile) {
        for type in file.types {
            guard let context = contexts[type.name] else { continue }
            for function in type.functions where function.signature.effectSpecifiers?.asyncSpecifier == nil {
                let sends = function.all(FunctionCallExprSyntax.self).contains { call in
                    guard let (_, base, name) = call.memberCall, name == "dispatch" else { return false }
                    return base.rootName.map { context.clients[$0] != nil } ?? false
                }
                if sends { dispatchingMethods[type.name, default: []].insert(function.name.text) }
            }
        }
    }

    /// Whether `state.id`, or `id` inside of a state, stands in a file.
    private func readsStateID(in file: ParsedFile) -> Bool {
        let accesses = file.tree.all(MemberAccessExprSyntax.self).filter { $0.declName.baseName.text == "id" }
        if accesses.contains(where: { $0.base?.lastName?.lowercased().hasSuffix("state") ?? false }) { return true }
        return file.types.contains { states.contains($0.name) && $0.node.uses("id") }
    }

    /// Versions before 1.0 that the project has, and how many files are written in each.
    package var counts: [Dialect: Int] {
        Dictionary(grouping: dialects.values.filter(\.isOld)) { $0 }.mapValues(\.count)
    }

    package func dialect(of path: String) -> Dialect { dialects[path] ?? .none }

    /// The names of protocols and classes that are those of the project in a file, not those of the framework.
    func declared(in path: String) -> Set<String> { declared.names(in: path) }

    private mutating func findRoles() {
        for type in types.values {
            if type.inheritsFramework(FrameworkBases.capabilities), type.kind != .protocol {
                capabilities.insert(type.name)
            }
            if type.inheritsFramework(["Orchestrator"]), type.kind != .protocol { orchestrators.insert(type.name) }
        }
        // Doubles inherit from capabilities.
        for type in types.values where type.kind == .class && type.inheritsAny(capabilities) {
            capabilities.insert(type.name)
        }
        for type in types.values where type.kind == .actor || type.kind == .class {
            guard type.inheritsFramework(FrameworkBases.clients) else { continue }
            clients[type.name] = ClientFacts(type, capabilities: capabilities)
        }
        for client in clients.values where client.dialect.isOld {
            if let state = client.state { states.insert(state) }
            if let action = client.action { actions.insert(action) }
        }
        findContexts()
    }

    private mutating func findContexts() {
        let found = types.values.filter { $0.kind == .class && $0.inheritsFramework(FrameworkBases.contexts) }
        let names = Set(found.map(\.name))
        for name in names {
            guard let type = types[name] else { continue }
            let context = ContextFacts(type, clients: clients, contexts: names)
            contexts[name] = context
            if context.dialect.isOld, let action = context.action { actions.insert(action) }
        }
    }
}

extension TypeFacts {
    fileprivate mutating func merge(_ other: TypeFacts, isFirst: Bool) {
        if !isFirst { merge(other) }
    }
}

/// A client of the project.
struct ClientFacts: Sendable, Hashable {
    let name: String
    let dialect: Dialect
    /// The type of its state; nil without one.
    let state: String?
    let action: String?
    /// The initial value of the state, if it is written where the state is declared.
    let initialState: String?
    /// The types of the capabilities that it holds, by property.
    let capabilities: [String: String]

    init(_ type: TypeFacts, capabilities: Set<String>) {
        name = type.name
        dialect = type.dialect
        let generics = type.arguments["BaseClient"] ?? []
        let property = type.property("state")
        let store = type.properties.first { $0.type == "StateStore" }
        let isStateless = type.inheritsAny(["StatelessClient"])
        state =
            isStateless
            ? nil
            : type.aliases["State"] ?? type.aliases["StateType"] ?? generics.first ?? property?.type
                ?? store?.typeNames.first { $0 != "StateStore" }
        let method = type.methods.first { ["send", "process", "dispatch"].contains($0.name) }
        action = type.aliases["Action"] ?? type.aliases["ActionType"] ?? generics.dropFirst().first ?? method?.parameter
        initialState = property?.value
        self.capabilities = Dictionary(
            type.properties.compactMap { property in
                // A property that was migrated: CapabilityRef<Network>.
                let named = property.type.flatMap { capabilities.contains($0) ? $0 : nil }
                let name = named ?? property.typeNames.first { capabilities.contains($0) }
                return name.map { (property.name, $0) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}

/// A context of the project.
struct ContextFacts: Sendable, Hashable {
    let name: String
    let dialect: Dialect
    /// The types of the clients that it holds, by property.
    let clients: [String: String]
    /// The types of contexts that it holds, by property.
    let contexts: [String: String]
    let action: String?
    let published: [String]

    init(_ type: TypeFacts, clients: [String: ClientFacts], contexts: Set<String>) {
        name = type.name
        dialect = type.dialect
        var (ownClients, ownContexts): ([String: String], [String: String]) = ([:], [:])
        for property in type.properties where property.isStored {
            let names = property.typeNames.union([property.type].compactMap(\.self))
            if let client = names.first(where: { clients[$0] != nil }) { ownClients[property.name] = client }
            if let context = names.first(where: contexts.contains) { ownContexts[property.name] = context }
        }
        self.clients = ownClients
        self.contexts = ownContexts
        let sender = type.methods.first { ["send", "handle"].contains($0.name) }
        action =
            type.aliases["Action"] ?? type.aliases["ActionType"] ?? sender?.parameter
            ?? (ownClients.count == 1 ? ownClients.values.first.flatMap { clients[$0]?.action } : nil)
        published = type.properties.filter(\.isPublished).map(\.name)
    }
}
