// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import Axiom

private enum CountAction: Action {
    typealias Answer = Int

    case next
    case fail
    case shared
}

private struct CountState: OwnedState { var count = 0 }

/// Counts, and shares the answers of one action among its callers.
private actor CountClient: Client, Component, ScheduledClient {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<CountState>
    private let gate: Gate

    init(_ scope: borrowing ClientScope, _ gate: Gate) {
        identity = scope.identity
        store = scope.store(CountState())
        self.gate = gate
    }

    var state: CountState { store.state }
    nonisolated var stateStream: StateStream<CountState> { store.stream }

    func process(_ action: CountAction) async throws -> Int {
        if case .fail = action { throw SampleError("count") }
        if case .shared = action { await gate.wait() }
        return store.update { state in
            state.count += 1
            return state.count
        }
    }

    nonisolated func concurrency(of action: CountAction) -> ActionConcurrency {
        if case .shared = action { .first } else { .interleaved }
    }
}

@MainActor
@Observable
private final class CountContext: Context {
    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored let counter: ClientOf<CountClient>
    @ObservationIgnored var strategy = RecoveryStrategy.surface
    @ObservationIgnored var failures = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        counter = try scope.client(CountClient.self)
    }

    func handle(_ action: CountAction) async throws -> Int {
        if failures > 0 {
            failures -= 1
            throw SampleError("context")
        }
        return try await counter.process(action) * 10
    }

    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

/// Passes all actions on, or none.
private struct Doorkeeper: Middleware {
    let opens: Bool

    nonisolated(nonsending) func process(
        _ call: ActionCall,
        next: MiddlewareNext<ActionCall, Void>
    ) async throws {
        if opens { try await next(call) }
    }
}

private struct Negating: Middleware {
    nonisolated(nonsending) func process(
        _ action: CountAction,
        next: MiddlewareNext<CountAction, Int>
    ) async throws -> Int {
        if case .fail = action { return 0 }
        return -(try await next(action))
    }
}

@MainActor
@Suite("Answers of actions", .timeLimit(.minutes(10)))
struct AnswerTests {
    private let gate = Gate()

    private func start(_ prepare: (Orchestrator) -> Void = { _ in }) async throws -> (CountContext, Orchestrator) {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(CountClient.self) { [gate] in CountClient($0, gate) }
        orchestrator.register(CountContext.self) { try CountContext($0) }
        prepare(orchestrator)
        try await orchestrator.start()
        return (try orchestrator.makeContext(CountContext.self), orchestrator)
    }

    @Test("An action answers through middleware for all clients and for one")
    func middleware() async throws {
        let (context, orchestrator) = try await start {
            $0.use(Doorkeeper(opens: true))
            $0.use(Negating(), for: CountClient.self)
        }
        #expect(try await context.counter.process(.next) == -1)
        // A middleware for the client may answer by itself.
        #expect(try await context.counter.process(.fail) == 0)
        await orchestrator.shutdown()
    }

    @Test("A middleware for all clients that skips an action with an answer is a mistake that names the client")
    func skipped() async throws {
        let (context, orchestrator) = try await start { $0.use(Doorkeeper(opens: false)) }
        let error = await #expect(throws: ClientError.self) { try await context.counter.process(.next) }
        #expect(error?.code == .answerSkipped)
        #expect(error?.message.contains("CountClient") == true)
        await orchestrator.shutdown()
    }

    @Test("Callers that join an action share its answer")
    func shared() async throws {
        let (context, orchestrator) = try await start()
        let counter = context.counter
        let callers = (0..<3).map { _ in Task { try await counter.process(.shared) } }
        await gate.waitForArrivals(1)
        gate.open()
        for caller in callers { #expect(try await caller.value == 1) }
        #expect(await counter.state.count == 1)
        await orchestrator.shutdown()
    }

    @Test("A context answers a request, also with the answer of a retry")
    func context() async throws {
        let (context, orchestrator) = try await start()
        #expect(try await context.request(.next) == 10)
        context.failures = 1
        context.strategy = .retry(attempts: 2, backoff: .constant(.nanoseconds(1)))
        #expect(try await context.request(.next) == 20)
        await context.send(.next)
        #expect(await context.counter.state.count == 3)
        await orchestrator.shutdown()
    }

    @Test("A recovery without an answer cannot answer: the caller gets the error of the action")
    func recoveryWithoutAnswer() async throws {
        let (context, orchestrator) = try await start()
        context.failures = 1
        context.strategy = .ignore
        await #expect(throws: SampleError("context")) { try await context.request(.next) }
        #expect(context.errorBoundary.recoveredCount == 1)
        await orchestrator.shutdown()
    }
}
