// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import Axiom

private struct BalanceState: OwnedState {
    var cents = 0
}

private enum BalanceAction: Action {
    case deposit(Int)
    case read
    case brokenRead

    static let queries: Set = ["read", "brokenRead"]

    func validate() throws(ValidationError) {
        if case .deposit(let cents) = self, cents <= 0 { throw .actionRefused("the amount is not positive.") }
    }
}

private actor BalanceClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<BalanceState>
    private let journal: Journal<String>

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        store = scope.store(BalanceState())
        self.journal = journal
    }

    var state: BalanceState { store.state }
    nonisolated var stateStream: StateStream<BalanceState> { store.stream }

    func process(_ action: BalanceAction) async throws {
        journal.write("\(action)")
        switch action {
        case .deposit(let cents): store.update { $0.cents += cents }
        case .read: store.update { _ in }
        case .brokenRead: store.update { $0.cents += 1 }
        }
    }
}

@Observable
private final class BalanceContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<BalanceState, BalanceAction>
    private(set) var handled = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(BalanceClient.self)
    }

    func handle(_ action: BalanceAction) async throws { handled += 1 }
}

/// Names a query that does not exist.
private enum MisnamedAction: Action {
    case read
    static let queries: Set = ["raed"]
}

private actor MisnamedClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: MisnamedAction) async throws {}
}

/// Guards every client with one breaker that opens at the first failure.
private final class Guarding: Instrumentation, ClientProbe {
    let breakers: [CircuitBreaker]
    let journal = Journal<String>()

    init(_ breaker: CircuitBreaker) { breakers = [breaker] }

    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? { self }
    func began(caseIndex: Int) { journal.write("began \(caseIndex)") }
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) { journal.write("\(outcome)") }
    func refused(caseIndex: Int) { journal.write("refused \(caseIndex)") }
}

@MainActor
@Suite("Validation of actions, and queries", .timeLimit(.minutes(10)))
struct ActionValidationTests {
    private let journal = Journal<String>()

    private func orchestrator(_ instrumentation: any Instrumentation = Instrumentations()) async throws -> Orchestrator
    {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        orchestrator.register(BalanceClient.self) { [journal] in BalanceClient($0, journal) }
        orchestrator.register(BalanceContext.self) { try BalanceContext($0) }
        try await orchestrator.start()
        return orchestrator
    }

    @Test("Only a type that implements validate() is validated (CTX-13)")
    func static_() {
        #expect(BalanceAction.validates)
        #expect(!TallyAction.validates)
        #expect(!NoAction.validates)
    }

    @Test("A refused action does not reach the client, is counted as refused and leaves the breaker closed (CTX-13)")
    func refused() async throws {
        let breaker = try CircuitBreaker(name: "b", CircuitBreakerConfiguration(consecutiveFailures: 1))
        let observer = Guarding(breaker)
        let orchestrator = try await orchestrator(observer)
        let client = try orchestrator.makeContext(BalanceContext.self).client
        let error = await #expect(throws: ValidationError.self) { try await client.process(.deposit(0)) }
        #expect(error?.code == .actionRefused)
        #expect(error?.message == "The action was refused: the amount is not positive.")
        #expect(journal.entries.isEmpty)
        try await client.process(.deposit(5))
        #if Instrumented
        #expect(observer.journal.entries == ["refused 0", "began 0", "success"])
        #expect(breaker.counts().failure == 0)
        #endif
        await orchestrator.shutdown()
    }

    @Test("A context does not handle an action that its validation refuses, and shows the refusal (CTX-13)")
    func context() async throws {
        let recording = RecordingInstrumentation()
        let orchestrator = try await orchestrator(recording)
        let context = try orchestrator.makeContext(BalanceContext.self)
        await context.send(.deposit(-1))
        await context.send(.deposit(1))
        #expect(context.handled == 1)
        #expect(context.errorBoundary.count == 1)
        #if Instrumented
        let outcomes = recording.events.compactMap { event -> ActionOutcome? in
            if case .actionEnded(_, _, let outcome, _) = event { outcome } else { nil }
        }
        #expect(outcomes == [.rejected, .success])
        #endif
        await orchestrator.shutdown()
    }

    @Test("A query is a query, and a command is a command (ACT-02)")
    func queries() {
        #expect(BalanceAction.read.isQuery)
        #expect(!BalanceAction.deposit(1).isQuery)
        #expect(!TallyAction.add(1).isQuery)
    }

    @Test("A query that changes the state is reported once, and the change stays (ACT-02)")
    func queryChangesState() async throws {
        let orchestrator = try await orchestrator()
        let client = try orchestrator.makeContext(BalanceContext.self).client
        try await client.process(.deposit(10))
        try await client.process(.read)
        await orchestrator.quiet()
        #expect(orchestrator.errorBoundary.count == 0)
        try await client.process(.brokenRead)
        try await client.process(.brokenRead)
        await orchestrator.quiet()
        #expect(await client.state.cents == 12)
        #expect(orchestrator.errorBoundary.count == 1)
        let error = orchestrator.errorBoundary.current?.error as? ValidationError
        #expect(error?.code == .queryChangedState)
        #expect(error?.message == "The client BalanceClient changed its state while it performed the query brokenRead.")
        await orchestrator.shutdown()
    }

    @Test("A query that is not a case of its type stops the start (ACT-02)")
    func unknownQuery() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(MisnamedClient.self) { MisnamedClient($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .unknownQuery)
        #expect(error?.message.contains("raed") == true)
    }
}
