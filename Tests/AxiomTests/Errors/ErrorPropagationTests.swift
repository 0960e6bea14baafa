// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Errors rise level by level (rule 15)", .timeLimit(.minutes(10)))
struct ErrorPropagationTests {
    /// The contexts of a chain, from the root down.
    private func chain(from root: any AnyTier) -> [any AnyTier] {
        var chain = [root]
        while let next = chain.last?.next { chain.append(next) }
        return chain
    }

    /// The components that an error passes which arises at the end of `route` and is handled by context `handler`.
    private func path(of route: Route, from sender: Int, to handler: Int) -> [String] {
        let capabilities = route.capabilities.reversed().map { "capability \($0)" }
        let clients = route.client.map { ["client \($0)"] } ?? []
        let contexts = stride(from: sender, through: max(handler, 0), by: -1).map { "context \($0)" }
        return capabilities + clients + contexts + (handler < 0 ? ["Orchestrator"] : [])
    }

    @Test(
        "In any graph, an error of any level is settled at the boundary that decides, with its whole path",
        arguments: 0..<50
    )
    func randomGraphs(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let graph = RelayGraph.random(using: &random)
        let orchestrator = Orchestrator(limits: .endless)
        graph.register(in: orchestrator)
        try await orchestrator.start()
        let chain = chain(from: try orchestrator.makeContext(Tier<P0>.self))
        try #require(chain.count == graph.contexts)
        for number in 1...30 {
            let sender = Int.random(in: 0..<chain.count, using: &random)
            let handler = Int.random(in: -1...sender, using: &random)
            let route = graph.randomRoute(SampleError("fault \(number)"), using: &random)
            graph.handling.put(handler)
            await chain[sender].send(Errand(route: route))
            let boundary = handler < 0 ? orchestrator.errorBoundary : chain[handler].errorBoundary
            let entry = try #require(boundary.current)
            #expect(entry.error as? SampleError == route.fault)
            #expect(entry.path.map(\.name) == path(of: route, from: sender, to: handler))
            #expect(entry.origin == entry.path.first)
            for context in chain[(handler + 1)..<(sender + 1)] {
                #expect(context.errorBoundary.history.last?.resolution == .propagated)
                #expect(context.errorBoundary.history.last?.error as? SampleError == route.fault)
            }
            let counts = chain.map(\.errorBoundary.count) + [orchestrator.errorBoundary.count]
            #expect(counts.reduce(0, +) == number, "each error ends once")
        }
        await orchestrator.shutdown()
    }

    #if Instrumented
    @Test("What ends is reported once, with the path and the boundary that ended it")
    func reported() async throws {
        var random = SeededGenerator(seed: 7)
        var graph = RelayGraph.random(using: &random)
        (graph.contexts, graph.clients, graph.capabilities) = (3, 1, 2)
        (graph.used, graph.below) = ([0: [1]], [1: [0]])
        let observer = EndingObserver()
        let orchestrator = Orchestrator(instrumentation: observer, limits: .endless)
        graph.register(in: orchestrator)
        try await orchestrator.start()
        let chain = chain(from: try orchestrator.makeContext(Tier<P0>.self))
        graph.handling.put(1)
        await chain[2].send(Errand(route: Route(client: 0, capabilities: [1, 0], fault: SampleError("x"))))
        let ended = observer.ended.entries
        #expect(ended.map(\.boundary.name) == ["context 1"])
        #expect(
            ended.first?.path.map(\.name)
                == ["capability 0", "capability 1", "client 0", "context 2", "context 1"]
        )
    }
    #endif

    @Test("An unavailable capability is the origin of the error, also if a client uses it directly")
    func unavailable() async throws {
        let orchestrator = Orchestrator.scripted()
        var machine = PartMachine()
        machine.onInitialize = { _ in throw SampleError("no disk") }
        machine.register([0], in: orchestrator, optional: [0])
        let box = Box<CapabilityRef<Part<P0>>>()
        orchestrator.register(Keeper<Part<P0>>.self) { try Keeper($0, Part<P0>.self) { box.put($0) } }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        let ref = try #require(box.value)
        await context.send(ScriptAction { _ in _ = try ref.current() })
        await context.send(ScriptAction { _ in try await ref.call { _ in } })
        let paths = context.errorBoundary.history.map { $0.path.map(\.name) }
        #expect(paths == [["P0", "ScriptContext"], ["P0", "ScriptContext"]])
    }

    @Test("A client that cannot be activated for want of a capability shows both on its way to the orchestrator")
    func activation() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        var machine = PartMachine()
        machine.onInitialize = { _ in throw SampleError("no disk") }
        machine.register([0], in: orchestrator, optional: [0])
        orchestrator.register(Eager.self) { try Eager($0) }
        try await orchestrator.start()
        let paths = orchestrator.errorBoundary.history.map { $0.path.map(\.name) }
        #expect(paths == [["P0", "Orchestrator"], ["P0", "Eager", "Orchestrator"]])
    }
}

/// A client that uses its capability as soon as it is activated.
private actor Eager: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let part: CapabilityRef<Part<P0>>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        part = try scope.capability(Part<P0>.self)
    }

    func process(_ action: NoAction) async throws {}
    func activate() async throws { try await part.call { _ in } }
}

/// Keeps how errors ended and what became of remedies.
final class EndingObserver: Instrumentation {
    let ended = Journal<EndedError>()
    let recoveries = Journal<RecoveryReport>()

    func ended(_ error: EndedError) { ended.write(error) }
    func recoveryEnded(_ report: RecoveryReport) { recoveries.write(report) }
}
