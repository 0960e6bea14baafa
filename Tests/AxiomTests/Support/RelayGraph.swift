// SPDX-License-Identifier: Apache-2.0

import Axiom
import Observation

/// A way down through a ``RelayGraph``, at whose end an error is thrown.
struct Route: Sendable {
    /// The client to ask; nil when the context itself throws.
    var client: Int?
    /// The capabilities to ask, each by the one before; none when the client itself throws.
    var capabilities: [Int] = []
    let fault: SampleError
}

/// A capability that hands a call on to the next one of its route, or throws.
actor Relay<Tag: PartTag>: Capability {
    static var componentName: String { "capability \(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let next: [Int: Hop]

    init(_ scope: borrowing CapabilityScope, _ graph: RelayGraph) throws {
        identity = scope.identity
        var next: [Int: Hop] = [:]
        for index in graph.below[Tag.index, default: []] { next[index] = try Self.hop(partTags[index], scope) }
        self.next = next
    }

    private static func hop<Other: PartTag>(_ tag: Other.Type, _ scope: borrowing CapabilityScope) throws -> Hop {
        let ref = try scope.capability(Relay<Other>.self)
        return { route, fault in try await ref.call { try await $0.pass(route, fault) } }
    }

    func pass(_ route: ArraySlice<Int>, _ fault: SampleError) async throws {
        guard let hop = route.first.flatMap({ next[$0] }) else { throw fault }
        try await hop(route.dropFirst(), fault)
    }
}

typealias Hop = @Sendable (ArraySlice<Int>, SampleError) async throws -> Void

struct Errand: Action {
    let route: Route
}

/// A client that asks the first capability of a route, or throws.
actor Courier<Tag: PartTag>: StatelessClient, Component {
    static var componentName: String { "client \(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let next: [Int: Hop]

    init(_ scope: borrowing ClientScope, _ graph: RelayGraph) throws {
        identity = scope.identity
        var next: [Int: Hop] = [:]
        for index in graph.used[Tag.index, default: []] { next[index] = try Self.hop(partTags[index], scope) }
        self.next = next
    }

    private static func hop<Other: PartTag>(_ tag: Other.Type, _ scope: borrowing ClientScope) throws -> Hop {
        let ref = try scope.capability(Relay<Other>.self)
        return { route, fault in try await ref.call { try await $0.pass(route, fault) } }
    }

    func process(_ errand: Errand) async throws {
        let route = errand.route
        guard let hop = route.capabilities.first.flatMap({ next[$0] }) else { throw route.fault }
        try await hop(route.capabilities.dropFirst(), route.fault)
    }
}

/// A context that owns the next one of a chain, and asks the clients that a route names.
@MainActor
final class Tier<Tag: PartTag>: AnyTier {
    nonisolated static var componentName: String { "context \(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let clients: [Int: any StatelessClient<Errand>]
    private let graph: RelayGraph
    let next: (any AnyTier)?

    init(_ scope: borrowing ContextScope, _ graph: RelayGraph) throws {
        identity = scope.identity
        self.graph = graph
        var clients: [Int: any StatelessClient<Errand>] = [:]
        for index in 0..<graph.clients { clients[index] = try Self.client(partTags[index], scope) }
        self.clients = clients
        let below = Tag.index + 1
        next = below < graph.contexts ? try Self.context(partTags[below], scope) : nil
    }

    private static func client<Other: PartTag>(
        _ tag: Other.Type,
        _ scope: borrowing ContextScope
    ) throws -> any StatelessClient<Errand> {
        try scope.client(Courier<Other>.self)
    }

    private static func context<Other: PartTag>(
        _ tag: Other.Type,
        _ scope: borrowing ContextScope
    ) throws -> any AnyTier {
        try scope.context(Tier<Other>.self)
    }

    func handle(_ errand: Errand) async throws {
        guard let client = errand.route.client.flatMap({ clients[$0] }) else { throw errand.route.fault }
        try await client.process(errand)
    }

    func recovery(for error: any Error) -> RecoveryStrategy {
        graph.handling.value == Tag.index ? .surface : .propagate
    }
}

@MainActor
protocol AnyTier: Context where ActionType == Errand, Input == Void {
    var next: (any AnyTier)? { get }
}

/// Capabilities that depend on each other, clients that use some of them, and a chain of contexts above.
struct RelayGraph: Sendable {
    /// What each capability depends on.
    var below: [Int: [Int]] = [:]
    /// What each client uses.
    var used: [Int: [Int]] = [:]
    var capabilities = 0
    var clients = 0
    var contexts = 0
    /// The context that ends errors, by index; -1 where that is the orchestrator.
    let handling = Box<Int>()

    static func random(using random: inout some RandomNumberGenerator) -> RelayGraph {
        var graph = RelayGraph()
        graph.capabilities = .random(in: 1...8, using: &random)
        graph.clients = .random(in: 1...4, using: &random)
        graph.contexts = .random(in: 1...5, using: &random)
        for index in 1..<max(2, graph.capabilities) {
            graph.below[index] = (0..<index).filter { _ in Bool.random(using: &random) }
        }
        for index in 0..<graph.clients {
            graph.used[index] = (0..<graph.capabilities).filter { _ in Bool.random(using: &random) }
        }
        return graph
    }

    /// A way down that ends at any level.
    func randomRoute(_ fault: SampleError, using random: inout some RandomNumberGenerator) -> Route {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return Route(fault: fault) }
        var route = Route(client: Int.random(in: 0..<clients, using: &random), fault: fault)
        var choices = route.client.flatMap { used[$0] } ?? []
        while let next = choices.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 {
            route.capabilities.append(next)
            choices = below[next] ?? []
        }
        return route
    }

    @MainActor
    func register(in orchestrator: Orchestrator) {
        for tag in partTags.prefix(capabilities) { capability(tag, orchestrator) }
        for tag in partTags.prefix(clients) { client(tag, orchestrator) }
        for tag in partTags.prefix(contexts) { context(tag, orchestrator) }
    }

    @MainActor
    private func capability<Tag: PartTag>(_ tag: Tag.Type, _ orchestrator: Orchestrator) {
        orchestrator.register(Relay<Tag>.self) { try Relay<Tag>($0, self) }
    }

    @MainActor
    private func client<Tag: PartTag>(_ tag: Tag.Type, _ orchestrator: Orchestrator) {
        orchestrator.register(Courier<Tag>.self) { try Courier<Tag>($0, self) }
    }

    @MainActor
    private func context<Tag: PartTag>(_ tag: Tag.Type, _ orchestrator: Orchestrator) {
        orchestrator.register(Tier<Tag>.self) { try Tier<Tag>($0, self) }
    }
}
