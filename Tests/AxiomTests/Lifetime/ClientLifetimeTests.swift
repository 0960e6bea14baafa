// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Observation
import Testing

@testable import Axiom

/// A client whose factory or activation fails as configured.
private actor Fragile: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let activationError: SampleError?
    private let store: StateStore<FragileState>

    struct FragileState: OwnedState {}

    init(_ scope: borrowing ClientScope, activationError: SampleError?) {
        identity = scope.identity
        store = scope.store(FragileState())
        self.activationError = activationError
    }

    var state: FragileState { store.state }
    nonisolated var stateStream: StateStream<FragileState> { store.stream }
    func process(_ action: NoAction) async throws {}
    func activate() async throws { if let activationError { throw activationError } }
}

private final class NeedsFragile: Context, Observable {
    let identity: ComponentIdentity
    private let client: any Client<Fragile.FragileState, NoAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(Fragile.self)
    }
}

/// Keeps both clients as it was given them.
private final class Gatherer: Context, Observable {
    let identity: ComponentIdentity
    let tally: any Client<TallyState, TallyAction>
    let ping: any StatelessClient<PingAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        tally = try scope.client(TallyClient.self)
        ping = try scope.client(PingClient.self)
    }
}

private actor PingDouble: StatelessClient {
    let journal = Journal<String>()
    func process(_ action: PingAction) async throws { journal.write("doubled") }
}

private actor Thief: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>

    init(_ scope: borrowing ClientScope, identity: ComponentIdentity? = nil) {
        // axiom:ignore identity-not-stored The framework refuses such a client.
        self.identity = identity ?? scope.identity
        store = scope.store(TallyState())
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }
    func process(_ action: NoAction) async throws {}
}

/// Notes for which clients breakers are asked.
private struct AskedForBreakers: Instrumentation {
    let journal: Journal<String>

    func clientBreakers<C: StatelessClient>(for client: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] {
        journal.write(client.name)
        return []
    }
}

@MainActor
@Suite("Clients of an orchestrator", .timeLimit(.minutes(10)))
struct ClientLifetimeTests {
    private let orchestrator = Orchestrator(limits: .endless)
    private let journal = Journal<String>()

    private func registerGatherer() {
        let journal = journal
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        orchestrator.register(Gatherer.self) { try Gatherer($0) }
    }

    private func startError() async throws -> CompositionError {
        try await #require(throws: CompositionError.self) { try await orchestrator.start() }
    }

    @Test("A hundred concurrent requests for a client are given the identical instance")
    func oneInstance() async throws {
        registerGatherer()
        try await orchestrator.start()
        let found = try await withThrowingTaskGroup(of: [ObjectIdentifier].self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let context = try await orchestrator.makeContext(Gatherer.self)
                    return [ObjectIdentifier(context.tally), ObjectIdentifier(context.ping)]
                }
            }
            var found: [[ObjectIdentifier]] = []
            for try await ids in group { found.append(ids) }
            return found
        }
        #expect(found.count == 100)
        #expect(Set(found).count == 1)
    }

    @Test("A factory runs once, however often its client is asked for")
    func factoryRunsOnce() async throws {
        let journal = journal
        orchestrator.register(TallyClient.self) {
            journal.write("made")
            return TallyClient($0)
        }
        orchestrator.register(ScriptContext.self) { try ScriptContext($0) }
        try await orchestrator.start()
        for _ in 0..<10 { _ = try orchestrator.makeContext(ScriptContext.self) }
        #expect(journal.entries == ["made"])
    }

    @Test("An observer is asked once for the breakers of each client, however many contexts resolve it")
    func breakersOnce() async throws {
        let asked = Journal<String>()
        let orchestrator = Orchestrator(instrumentation: AskedForBreakers(journal: asked), limits: .endless)
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        orchestrator.register(Gatherer.self) { try Gatherer($0) }
        try await orchestrator.start()
        for _ in 0..<3 { _ = try orchestrator.makeContext(Gatherer.self) }
        #expect(asked.entries.sorted() == ["PingClient", "TallyClient"])
        await orchestrator.shutdown()
    }

    @Test("A client is activated once at the start and deactivated once at the shutdown")
    func activation() async throws {
        registerGatherer()
        try await orchestrator.start()
        #expect(journal.entries == ["activate PingClient"])
        await orchestrator.shutdown()
        await orchestrator.shutdown()
        #expect(journal.entries == ["activate PingClient", "deactivate PingClient"])
    }

    @Test("A client whose factory throws affects only the contexts that resolve it")
    func factoryThrows() async throws {
        orchestrator.register(Fragile.self) { _ in throw SampleError("no key") }
        orchestrator.register(NeedsFragile.self) { try NeedsFragile($0) }
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await orchestrator.start()
        let error = try #require(throws: ClientError.self) { try orchestrator.makeContext(NeedsFragile.self) }
        #expect(error.code == ErrorCode.clientNotStarted)
        #expect(error.message.contains("client Fragile"))
        #expect(error.message.contains("context NeedsFragile"))
        #expect(error.cause as? SampleError == SampleError("no key"))
        _ = try orchestrator.makeContext(PlainContext.self)
    }

    @Test("A client that cannot be activated is named with its cause, and does not live on")
    func activationThrows() async throws {
        let made = Box<WeakReference>()
        orchestrator.register(Fragile.self) { scope in
            let client = Fragile(scope, activationError: SampleError("offline"))
            made.put(WeakReference(client))
            return client
        }
        orchestrator.register(NeedsFragile.self) { try NeedsFragile($0) }
        try await orchestrator.start()
        let error = try #require(throws: ClientError.self) { try orchestrator.makeContext(NeedsFragile.self) }
        #expect(error.message.contains("offline"))
        #expect(made.value?.object == nil)
    }

    @Test("A double takes the place of a client, of a stateless one as well")
    func overrides() async throws {
        registerGatherer()
        let (tally, ping) = (TallyDouble(value: 42), PingDouble())
        orchestrator.override(TallyClient.self, with: tally)
        orchestrator.override(PingClient.self, with: ping)
        try await orchestrator.start()
        let context = try orchestrator.makeContext(Gatherer.self)
        #expect(await context.tally.state.value == 42)
        try await context.tally.process(.add(1))
        try await context.ping.process(.ping)
        #expect(tally.journal.entries == ["add(1)"])
        #expect(ping.journal.entries == ["doubled"])
        #expect(journal.entries.isEmpty)
    }

    @Test("A state owned by two clients stops the start with an error that names all three (rule 7)")
    func stateOwnedTwice() async throws {
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(Thief.self) { Thief($0) }
        let error = try await startError()
        #expect(error.code == ErrorCode.stateOwnedTwice)
        for name in ["TallyClient", "Thief", "TallyState"] { #expect(error.message.contains(name)) }
    }

    @Test("An unregistered client is an error that names it and the context that requires it")
    func missing() async throws {
        orchestrator.register(ScriptContext.self) { try ScriptContext($0) }
        try await orchestrator.start()
        let error = try #require(throws: CompositionError.self) { try orchestrator.makeContext(ScriptContext.self) }
        #expect(error.code == ErrorCode.notRegistered)
        #expect(error.message.contains("context ScriptContext"))
        #expect(error.message.contains("TallyClient"))
    }

    @Test("A type registered twice stops the start with an error that names it")
    func registeredTwice() async throws {
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        let error = try await startError()
        #expect(error.code == ErrorCode.registeredTwice)
        #expect(error.message.contains("TallyClient is registered twice"))
    }

    @Test("Several mistakes are one error, with a remedy for each")
    func severalMistakes() async throws {
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(Thief.self) { Thief($0) }
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        let error = try await startError()
        #expect(error.code == ErrorCode.severalMistakes)
        #expect(error.message.contains("TallyClient is registered twice"))
        #expect(error.message.contains("both own the state TallyState"))
        #expect(error.message.contains("PlainContext is registered twice"))
        #expect(error.recoverySuggestion.contains("Register each type once"))
        #expect(error.recoverySuggestion.contains("state type of its own"))
    }

    @Test("A failed registration leaves nothing made")
    func nothingMade() async throws {
        let journal = journal
        orchestrator.register(TallyClient.self) {
            journal.write("made")
            return TallyClient($0)
        }
        orchestrator.register(Thief.self) { Thief($0) }
        _ = try await startError()
        #expect(journal.entries.isEmpty)
    }

    @Test("A registration after the start is reported when the next context is made")
    func registeredLate() async throws {
        try await orchestrator.start()
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        let error = try #require(throws: CompositionError.self) { try orchestrator.makeContext(PlainContext.self) }
        #expect(error.code == ErrorCode.wrongPhase)
        #expect(error.message.contains("PlainContext"))
    }

    @Test("A late registration is reported once; what was registered in time can be made afterwards")
    func registeredLateOnce() async throws {
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await orchestrator.start()
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        #expect(throws: CompositionError.self) { try orchestrator.makeContext(PlainContext.self) }
        _ = try orchestrator.makeContext(PlainContext.self)
    }

    @Test("A late registration ends at the orchestrator's boundary, and is not thrown at a mount of something else")
    func registeredLateElsewhere() async throws {
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await orchestrator.start()
        let journal = journal
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        _ = try orchestrator.makeContext(PlainContext.self)
        while orchestrator.errorBoundary.history.isEmpty { await Task.yield() }
        let error = try #require(orchestrator.errorBoundary.history.first?.error as? CompositionError)
        #expect(error.code == .wrongPhase && error.message.contains("AxiomTests.PingClient"))
    }

    @Test("The orchestrator runs from its start to its shutdown, and not when its start failed")
    func isRunning() async throws {
        #expect(!orchestrator.isRunning)
        try await orchestrator.start()
        #expect(orchestrator.isRunning)
        await orchestrator.shutdown()
        #expect(!orchestrator.isRunning)
    }

    @Test("A client that stores another's identity is refused")
    func foreignIdentity() async throws {
        let stolen = Box<ComponentIdentity>()
        let journal = journal
        orchestrator.register(PingClient.self) { scope in
            stolen.put(scope.identity)
            return PingClient(scope, journal)
        }
        orchestrator.register(Thief.self) { Thief($0, identity: stolen.value) }
        orchestrator.register(NeedsThief.self) { try NeedsThief($0) }
        try await orchestrator.start()
        let error = try #require(throws: ClientError.self) { try orchestrator.makeContext(NeedsThief.self) }
        let cause = try #require(error.cause as? CompositionError)
        #expect(cause.code == ErrorCode.foreignIdentity)
        #expect(cause.message.contains("Thief"))
        #expect(cause.message.contains("PingClient"))
    }

    @Test("A client that makes another one with its own scope is refused, and the error names both")
    func sharedScope() async throws {
        let journal = journal
        orchestrator.register(Doubled.self) { Doubled($0, journal) }
        orchestrator.register(NeedsDoubled.self) { try NeedsDoubled($0) }
        try await orchestrator.start()
        let error = try #require(throws: ClientError.self) { try orchestrator.makeContext(NeedsDoubled.self) }
        let cause = try #require(error.cause as? CompositionError)
        #expect(
            cause.code == .foreignIdentity && cause.message.contains("client Doubled passed its scope to PingClient")
        )
    }
}

/// Holds a client that it made with its own scope.
private actor Doubled: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    // axiom:ignore client-holds-client The framework refuses such a client.
    private var inner: PingClient?

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        // axiom:ignore scope-kept The framework refuses such a client.
        inner = PingClient(scope, journal)
    }

    func process(_ action: NoAction) async throws {}
}

private final class NeedsDoubled: Context, Observable {
    let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.client(Doubled.self)
    }
}

private final class NeedsThief: Context, Observable {
    let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.client(Thief.self)
    }
}
