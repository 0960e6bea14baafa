// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Observation
import Testing

@testable import Axiom

/// Rules 1, 2, 6 and 11 of the specification, at its scale.
@Suite("Rule acceptance: clients", .serialized, .timeLimit(.minutes(10)))
struct ClientRules {
    /// The fixture of the rule is refused by the compiler, and its twin that obeys the rule compiles.
    private func expectRefused(_ rule: String) async throws {
        let fixture = try #require(RuleFixture.all.first { $0.rule.hasSuffix("(\(rule))") })
        let compiler = try Compiler()
        #expect(try await compiler.compile(fixture.allowed).status == 0)
        let forbidden = try await compiler.compile(fixture.forbidden)
        #expect(forbidden.status != 0 && forbidden.errors.contains("error: \(fixture.diagnostic)"))
    }

    @Test("Rule 1, Client Dependency: a client that resolves a client does not compile (RUL-01)")
    func clientDependency() async throws {
        try await expectRefused("rule 1")
        #expect(dependency(.client, .client).objection != nil)
        #expect(dependency(.client, .capability).objection == nil)
    }

    @Test("Rule 2, Context Dependency: a context that resolves a capability does not compile (RUL-02)")
    func contextDependency() async throws {
        try await expectRefused("rule 2")
        #expect(dependency(.context, .capability).objection != nil)
        for kind in [ComponentKind.client, .context] { #expect(dependency(.context, kind).objection == nil) }
    }

    private func dependency(_ from: ComponentKind, _ to: ComponentKind) -> ComponentDependency {
        ComponentDependency(
            from: ComponentDescriptor(kind: from, name: "A"),
            to: ComponentDescriptor(kind: to, name: "B")
        )
    }

    @Test("Rule 2, Context Dependency: contexts reach a capability through a client only (RUL-02)")
    @MainActor
    func contextIsolation() async throws {
        let orchestrator = try await application()
        for edge in orchestrator.graph.edges where edge.from.kind == .context {
            #expect(edge.to.kind == .client || edge.to.kind == .context)
        }
        #expect(orchestrator.graph.edges.count { $0.to.kind == .capability } == 5)
    }

    @Test(
        "Rule 6, Client Isolation: a client that keeps its scope does not compile; 5 clients have no cross-references"
    )
    @MainActor
    func clientIsolation() async throws {
        try await expectRefused("rule 6")
        let orchestrator = try await application()
        let clients = orchestrator.graph.nodes.filter { $0.kind == .client }
        #expect(clients.count == 5)
        for client in clients {
            #expect(orchestrator.graph.dependencies(of: client).map(\.kind) == [.capability])
        }
    }

    @Test("Rule 11, Client Lifetime: 100 concurrent requests return the identical client (RUL-11)")
    @MainActor
    func clientLifetime() async throws {
        let orchestrator = try await application()
        let found = try await withThrowingTaskGroup(of: [ObjectIdentifier].self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let context = try await orchestrator.makeContext(RuleContext.self)
                    return context.clients.map { ObjectIdentifier($0) }
                }
            }
            var found: [[ObjectIdentifier]] = []
            for try await ids in group { found.append(ids) }
            return found
        }
        #expect(found.count == 100 && Set(found).count == 1)
        #expect(Set(found.first ?? []).count == 5)
    }

    /// Five clients that share a capability, and a context that uses all of them.
    @MainActor
    private func application() async throws -> Orchestrator {
        let orchestrator = Orchestrator(limits: .endless)
        PartMachine().register([0], in: orchestrator)
        for tag in partTags.prefix(5) { register(tag, orchestrator) }
        orchestrator.register(RuleContext.self) { try RuleContext($0) }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(RuleContext.self)
        return orchestrator
    }

    @MainActor
    private func register<Tag: PartTag>(_ tag: Tag.Type, _ orchestrator: Orchestrator) {
        orchestrator.register(RuleClient<Tag>.self) { try RuleClient<Tag>($0) }
    }
}

private actor RuleClient<Tag: PartTag>: StatelessClient, Component {
    static var componentName: String { "RuleClient\(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let part: CapabilityRef<Part<P0>>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        part = try scope.capability(Part<P0>.self)
    }

    func process(_ action: PingAction) async throws { _ = try part.current() }
}

@Observable
private final class RuleContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let clients: [any StatelessClient<PingAction>]

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        var clients: [any StatelessClient<PingAction>] = []
        for tag in partTags.prefix(5) { clients.append(try Self.client(tag, scope)) }
        self.clients = clients
    }

    private static func client<Tag: PartTag>(
        _ tag: Tag.Type,
        _ scope: borrowing ContextScope
    ) throws -> any StatelessClient<PingAction> {
        try scope.client(RuleClient<Tag>.self)
    }
}
