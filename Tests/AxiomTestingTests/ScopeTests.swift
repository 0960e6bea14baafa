// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("Components in unit tests without an application", .timeLimit(.minutes(10)))
struct ScopeTests {
    @Test("A client gets its scope and simulated capabilities")
    func client() async throws {
        let scopes = TestScopes()
        let service = scopes.simulate((any TeaService).self, as: FakeTeaService.self)
        service.on("teas", answer: [Tea.green])
        let clock = scopes.clock
        let client = try await scopes.client { try TeaClient($0, clock) }
        try await client.process(.load)
        #expect(await client.state == TeaState(teas: [.green], loads: 1))
        service.fail(with: SampleError(number: 1))
        await #expect(throws: SampleError(number: 1)) { try await client.process(.load) }
        #expect(service.calls == ["teas", "teas"])
    }

    @Test("A capability is made and initialized, and depends on doubles")
    func capability() async throws {
        let scopes = TestScopes()
        scopes.simulate((any TeaService).self, as: FakeTeaService.self).on("teas", answer: [Tea.black])
        let cache = try await scopes.capability { try TeaCache($0) }
        #expect(try await cache.first()?.name == "Black")
    }

    @Test("A context gets doubles of its clients, and does not appear")
    func context() async throws {
        let scopes = TestScopes()
        let client = scopes.client(TeaClient.self, TeaState())
        let clock = scopes.clock
        let teas = try await scopes.context { try TeaContext($0, clock) }
        try await teas.handle(.add(.green))
        #expect(client.verifyAction { if case .add(.green) = $0 { true } else { false } })
        #expect(teas.teas.isEmpty)
        await teas.send(.rename("A"))
        #expect(teas.title == "A")
    }

    @Test("A client without state gets a capability and a service that the test writes itself")
    func stateless() async throws {
        let scopes = TestScopes()
        scopes.provide((any TeaService).self) { OneTeaService($0) }
        scopes.provide(service: Printer.self, Printer())
        let labels = try await scopes.client(stateless: { try LabelClient($0) })
        try await labels.process(.print)
        #expect(labels.printer.lines.withLock { $0 } == ["Green"])
    }

    @Test("A context resolves a downstream context")
    func downstream() async throws {
        let scopes = TestScopes()
        let client = scopes.client(TeaClient.self, TeaState())
        let clock = scopes.clock
        scopes.register(TeaContext.self) { try TeaContext($0, clock) }
        let counter = try await scopes.context { try TeaCounterContext($0) }
        try await counter.teas.handle(.add(.green))
        #expect(counter.downstreamContexts.map { ObjectIdentifier($0) } == [ObjectIdentifier(counter.teas)])
        #expect(client.actions.count == 1)
    }

    @Test("What is missing is named")
    func missing() async throws {
        let scopes = TestScopes()
        let clock = scopes.clock
        let error = await #expect(throws: CompositionError.self) {
            _ = try await scopes.client { try TeaClient($0, clock) }
        }
        #expect(error?.description.contains("TeaService") == true)
    }
}

actor TeaCache: Capability {
    nonisolated let identity: ComponentIdentity
    private let service: CapabilityRef<any TeaService>
    private var teas: [Tea] = []

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        service = try scope.capability((any TeaService).self)
    }

    func initialize() async throws { teas = try await service.call { try await $0.teas(1) } }
    func first() throws -> Tea? { teas.first }
}

actor OneTeaService: TeaService, Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func teas(_ page: Int) async throws -> [Tea] { [.green] }
}

final class Printer: Sendable {
    let lines = Lock<[String]>([])
}

enum LabelAction: Action {
    case print
}

/// Prints the names of the teas.
actor LabelClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let printer: Printer
    private let service: CapabilityRef<any TeaService>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        printer = try scope.service(Printer.self)
        service = try scope.capability((any TeaService).self)
    }

    func process(_ action: LabelAction) async throws {
        let names = try await service.call { try await $0.teas(1) }.map(\.name)
        printer.lines.withLock { $0 += names }
    }
}

@MainActor
final class TeaCounterContext: Context {
    nonisolated let identity: ComponentIdentity
    let teas: TeaContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        teas = try scope.context(TeaContext.self)
    }
}
