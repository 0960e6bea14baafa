// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// An application with the edges that applications have. Each capability depends on the two before it, and each client
/// on two capabilities. Each context depends on two clients, and on the next context of its screen: a screen has five.
@MainActor
final class LayeredApplication {
    struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    let orchestrator: Orchestrator
    /// The components: capabilities, clients and contexts.
    let components: Int
    /// The contexts that were made.
    private(set) var contexts: [LayeredContextHandle] = []
    /// How often a screen was rendered.
    private(set) var frames = 0
    private var screens: [@MainActor () async throws -> AnyObject] = []
    private var hosts: [AnyObject] = []

    /// Registers the components.
    ///
    /// - Parameters:
    ///   - capabilities: At least two more than `clients`.
    ///   - clients: As many as there are contexts.
    init(capabilities: Int, clients: Int, instrumentation: any Instrumentation = Instrumentations()) {
        orchestrator = Orchestrator(instrumentation: instrumentation)
        components = capabilities + 2 * clients
        orchestrator.register(NumberedCapability<Zero>.self) { NumberedCapability($0) }
        orchestrator.register(NumberedCapability<Next<Zero>>.self) { scope in
            _ = try scope.capability(NumberedCapability<Zero>.self)
            return NumberedCapability(scope)
        }
        register(above: Zero.self, capabilities - 2, clients)
    }

    /// Starts the application and shows all screens.
    func start() async throws {
        try await orchestrator.start()
        for screen in screens { hosts.append(try await screen()) }
    }

    /// Checks that a graph has all components and at least 150 edges between them, and that all kinds that can depend on
    /// each other do.
    func check(_ graph: ComponentGraph) throws {
        let kinds: [ComponentKind] = [.capability, .client, .context]
        let nodes = graph.nodes.count { kinds.contains($0.kind) }
        guard nodes == components else { throw Incomplete(description: "the graph has \(nodes) components") }
        let edges = graph.edges.count { kinds.contains($0.from.kind) && kinds.contains($0.to.kind) }
        guard edges >= 150 else { throw Incomplete(description: "the graph has \(edges) edges") }
        let pairs: [(ComponentKind, ComponentKind)] = [
            (.capability, .capability), (.client, .capability), (.context, .client), (.context, .context),
        ]
        for (from, to) in pairs where !graph.edges.contains(where: { $0.from.kind == from && $0.to.kind == to }) {
            throw Incomplete(description: "no \(from) depends on a \(to)")
        }
    }

    /// Registers so many capabilities above that of `number`, and for the last `clients` of them a client and a context.
    @inline(never)
    private func register<Number>(above number: Number.Type, _ rest: Int, _ clients: Int) {
        guard rest > 0 else { return }
        orchestrator.register(NumberedCapability<Next<Next<Number>>>.self) { scope in
            _ = try scope.capability(NumberedCapability<Next<Number>>.self)
            _ = try scope.capability(NumberedCapability<Number>.self)
            return NumberedCapability(scope)
        }
        if rest <= clients {
            orchestrator.register(LayeredClient<Number>.self) { try LayeredClient($0) }
            registerContext(number, rest)
            if rest == clients || rest % 5 == 0 { addScreen(number) }
        }
        register(above: Next<Number>.self, rest - 1, clients)
    }

    private func registerContext<Number>(_ number: Number.Type, _ rest: Int) {
        orchestrator.register(LayeredContext<Number>.self) { [weak self] scope in
            let context = try LayeredContext<Number>(scope) { scope in
                if rest > 1 { _ = try scope.client(LayeredClient<Next<Number>>.self) }
                return rest % 5 == 1 ? nil : try scope.context(LayeredContext<Next<Number>>.self)
            }
            self?.contexts.append(LayeredContextHandle(context))
            return context
        }
    }

    private func addScreen<Number>(_ number: Number.Type) {
        screens.append { [unowned self] in
            let host = PresentationHost(LayeredPresentation<Number>.self, orchestrator) { [weak self] _ in
                self?.frames += 1
            }
            try await host.mount(())
            return host
        }
    }
}

/// A client for each number, whose actions call a capability. Its state is published.
actor LayeredClient<Number>: Client, Component {
    struct LayeredState: OwnedState { var count = 0 }

    /// Short for any number, as for ``NumberedCapability``.
    static var componentName: String { "LayeredClient\("\(Number.self)".count)" }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<LayeredState>
    private let capability: CapabilityRef<NumberedCapability<Next<Next<Number>>>>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(LayeredState())
        capability = try scope.capability(NumberedCapability<Next<Next<Number>>>.self)
        _ = try scope.capability(NumberedCapability<Next<Number>>.self)
    }

    var state: LayeredState { store.state }
    nonisolated var stateStream: StateStream<LayeredState> { store.stream }

    func process(_ action: BookAction) async throws {
        try await capability.call { await $0.use() }
        store.update { $0.count += 1 }
    }
}

/// A context for each number, which observes its client.
@MainActor
@Observable
final class LayeredContext<Number>: Context {
    typealias ActionType = BookAction

    /// Short for any number, as for ``NumberedCapability``.
    nonisolated static var componentName: String { "LayeredContext\("\(Number.self)".count)" }

    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let client: any Client<LayeredClient<Number>.LayeredState, BookAction>
    @ObservationIgnored private let next: (any Context)?
    private(set) var count = 0

    /// - Parameter others: Resolves the other dependencies, and returns the next context of the screen.
    init(
        _ scope: borrowing ContextScope,
        _ others: (borrowing ContextScope) throws -> (any Context)?
    ) throws {
        identity = scope.identity
        client = try scope.client(LayeredClient<Number>.self)
        next = try others(scope)
    }

    func handle(_ action: BookAction) async throws { try await client.process(action) }

    func onAppear() {
        observe(client) { $0.count = $1.count }
    }
}

/// A context whose type is not known.
@MainActor
struct LayeredContextHandle {
    /// Sends it an action.
    let send: @MainActor () async -> Void
    /// The count that it shows; nil if it is gone.
    let count: @MainActor () -> Int?

    init<Number>(_ context: LayeredContext<Number>) {
        send = { [weak context] in await context?.send(.add) }
        count = { [weak context] in context?.count }
    }
}

/// What shows the context of a number.
struct LayeredPresentation<Number>: Presentation {
    let context: LayeredContext<Number>
    var body: Int { context.count }

    nonisolated static var componentName: String { "LayeredPresentation\("\(Number.self)".count)" }
}
