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
        if case .deposit(let cents) = action { store.update { $0.cents += cents } }
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
@Suite("Validation of actions", .timeLimit(.minutes(10)))
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
}
