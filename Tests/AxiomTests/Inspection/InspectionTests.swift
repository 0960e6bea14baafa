// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Observation
import Testing

@testable import Axiom

/// Counts each use of it by the framework.
private actor Counted: Capability {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>

    init(_ scope: borrowing CapabilityScope, _ journal: Journal<String>) {
        identity = scope.identity
        self.journal = journal
        journal.write("made")
    }

    func initialize() async throws { journal.write("initialize") }
    func terminate() async { journal.write("terminate") }
    var isAvailable: Bool {
        journal.write("isAvailable")
        return true
    }
    var degradationLevel: DegradationLevel {
        journal.write("degradationLevel")
        return .full
    }
}

private struct SecretState: OwnedState {
    var password = "hunter2"
}

/// Counts each use of it by the framework, and suspends in its action.
private actor SecretClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<SecretState>
    private let capability: CapabilityRef<Counted>
    nonisolated private let journal: Journal<String>
    private let gate: Gate

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>, _ gate: Gate) throws {
        identity = scope.identity
        store = scope.store(SecretState())
        capability = try scope.capability(Counted.self)
        self.journal = journal
        self.gate = gate
    }

    var state: SecretState {
        journal.write("state")
        return store.state
    }
    nonisolated var stateStream: StateStream<SecretState> {
        journal.write("stateStream")
        return store.stream
    }
    func process(_ action: PingAction) async throws { await gate.wait() }
}

@Observable
private final class Inner: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<SecretState, PingAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(SecretClient.self)
    }
}

@Observable
private final class Outer: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let inner: Inner

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        inner = try scope.context(Inner.self)
    }

    func onAppear() async throws { observe(inner.client) { _, _ in } }
    func handle(_ action: PingAction) async throws { try await inner.client.process(action) }
}

extension Outer: CustomDebugStringConvertible {}

private struct OuterPresentation: Presentation {
    let context: Outer
    var body: String { "" }
}

@MainActor
@Suite("Inspection of an application", .timeLimit(.minutes(10)))
struct InspectionTests {
    private let journal = Journal<String>()
    private let gate = Gate()

    private func application() -> Orchestrator {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Counted.self) { [journal] in Counted($0, journal) }
        orchestrator.register(SecretClient.self) { [journal, gate] in try SecretClient($0, journal, gate) }
        orchestrator.register(Inner.self) { try Inner($0) }
        orchestrator.register(Outer.self) { try Outer($0) }
        return orchestrator
    }

    private func encoded(_ inspection: Inspection) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(inspection)
    }

    @Test("An inspection calls no component, changes nothing, and is the same twice (INS-02)")
    func pure() async throws {
        let orchestrator = application()
        try await orchestrator.start()
        let host = PresentationHost(OuterPresentation.self, orchestrator) { _ in }
        try await host.mount()
        await orchestrator.quiet()
        let before = journal.entries
        let (one, other) = (orchestrator.inspect(), orchestrator.inspect())
        await orchestrator.quiet()
        #expect(try encoded(one) == encoded(other))
        #expect(one == other)
        #expect(one.debugDescription == other.debugDescription)
        #expect(journal.entries == before)
        #expect(try JSONDecoder().decode(Inspection.self, from: encoded(one)) == one)
        await host.unmount()
        await orchestrator.shutdown()
    }

    @Test("An inspection shows phases, levels, subscribers, actions under way and limits (INS-02)")
    func contents() async throws {
        let orchestrator = application()
        #expect(orchestrator.inspect().phase == "configuring")
        try await orchestrator.start()
        let host = PresentationHost(OuterPresentation.self, orchestrator) { _ in }
        try await host.mount()
        await orchestrator.quiet()
        let context = try #require(host.context)
        let action = Task { await context.send(.ping) }
        await until { orchestrator.inspect().contexts.map(\.operationsInFlight) == [1, 0] }
        let inspection = orchestrator.inspect()
        #expect(inspection.phase == "running")
        let capability = try #require(inspection.capabilities.first)
        #expect(capability.name == "Counted" && capability.phase == "initialised" && capability.level == "full")
        #expect(capability.id != nil && capability.isAvailable == nil)
        let client = try #require(inspection.clients.first)
        #expect(client.phase == "active" && client.stores.map(\.state) == ["SecretState"])
        #expect(client.stores.map(\.subscribers) == [1])
        #expect(inspection.contexts.map(\.name) == ["Outer", "Inner"])
        #expect(inspection.contexts.map(\.observations) == [1, 0])
        #expect(inspection.contexts.map(\.phase) == ["visible", "visible"])
        #expect(inspection.limits["shutdown"] == Double(WaitLimits.unlimited.components.seconds))
        gate.open()
        await action.value
        await host.unmount()
        #expect(orchestrator.inspect().contexts.isEmpty)
        await orchestrator.shutdown()
        #expect(orchestrator.inspect().phase == "stopped")
        #expect(orchestrator.inspect().clients.isEmpty)
    }

    @Test("An inspection contains no state (INS-02)")
    func secrets() async throws {
        let orchestrator = application()
        try await orchestrator.start()
        let inspection = orchestrator.inspect()
        #expect(!String(decoding: try encoded(inspection), as: UTF8.self).contains("hunter2"))
        #expect(!inspection.debugDescription.contains("hunter2"))
        await orchestrator.shutdown()
    }

    @Test("Root contexts and contexts inside them are found by their numbers (ORC-05)")
    func registry() async throws {
        let orchestrator = application()
        try await orchestrator.start()
        let host = PresentationHost(OuterPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let outer = try #require(host.context)
        #expect(orchestrator.rootContexts.map { ObjectIdentifier($0) } == [ObjectIdentifier(outer)])
        #expect(orchestrator.context(id: outer.inner.identity.id) === outer.inner)
        #expect(orchestrator.context(id: outer.identity.id) === outer)
        #expect(orchestrator.context(id: 0) == nil)
        let inspection = orchestrator.inspect()
        #expect(inspection.rootContexts.map(\.id) == [outer.identity.id])
        #expect(inspection.rootContexts.first?.presentation == "OuterPresentation")
        #expect(inspection.context(id: outer.inner.identity.id)?.upstream == outer.identity.id)
        #expect(inspection.context(id: outer.identity.id)?.downstream == [outer.inner.identity.id])
        await host.unmount()
        #expect(orchestrator.rootContexts.isEmpty)
        #expect(orchestrator.context(id: outer.identity.id) == nil)
        await orchestrator.shutdown()
    }

    @Test("The debug description of a component shows its number and all its dependencies (INS-01)")
    func componentDescription() async throws {
        let orchestrator = application()
        try await orchestrator.start()
        let context = try orchestrator.makeContext(Outer.self)
        #expect(
            context.debugDescription == """
                context Outer #\(context.identity.id)
                context Outer
                └─ context Inner
                   └─ client SecretClient
                      └─ capability Counted
                """
        )
        #expect(
            orchestrator.inspect().debugDescription.contains(
                context.debugDescription.split(separator: "\n").dropFirst().joined(separator: "\n")
            )
        )
        await orchestrator.shutdown()
    }
}
