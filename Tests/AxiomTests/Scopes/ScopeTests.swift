// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

/// Resolves a client as a capability: this compiles, because a capability may be registered under any type.
private actor Trickster: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        _ = try scope.capability(TallyClient.self)
    }

    func process(_ action: NoAction) async throws {}
}

private actor Hermit: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        journal.write("\(scope.identity)")
    }

    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("Scopes", .timeLimit(.minutes(10)))
struct ScopeTests {
    @Test("A client that is asked for as a capability is not found (rule 1)")
    func clientAsCapability() async throws {
        let errors = Journal<String>()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(Trickster.self) { scope in
            do {
                return try Trickster(scope)
            } catch {
                errors.write("\(error)")
                throw error
            }
        }
        try await orchestrator.start()
        #expect(errors.entries.count == 1)
        #expect(errors.entries[0].contains("client Trickster requires the capability TallyClient"))
    }

    @Test("A client cannot be registered as a capability's type either")
    func clientAsExposedType() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Part<P0>.self, as: TallyClient.self) { try Part<P0>($0, PartMachine()) }
        let error = try await #require(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error.code == ErrorCode.notConforming)
    }

    @Test("A scope carries the kind, the name and a number of its own")
    func identity() async throws {
        let journal = Journal<String>()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Hermit.self) { Hermit($0, journal) }
        try await orchestrator.start()
        #expect(journal.entries.count == 1)
        #expect(journal.entries[0].hasPrefix("client Hermit #"))
    }

    @Test("Identities are numbered apart, across orchestrators too")
    func distinctNumbers() async throws {
        var ids: [UInt64] = []
        for _ in 0..<20 {
            let orchestrator = Orchestrator(limits: .endless)
            orchestrator.register(PlainContext.self) { PlainContext($0) }
            try await orchestrator.start()
            for _ in 0..<20 { ids.append(try orchestrator.makeContext(PlainContext.self).identity.id) }
        }
        #expect(Set(ids).count == 400)
    }
}
