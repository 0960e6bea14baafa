// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// Notes when a call enters and leaves it.
private struct Noting: Middleware {
    let name: String
    let journal: Journal<String>

    nonisolated(nonsending) func process(
        _ call: ActionCall,
        next: MiddlewareNext<ActionCall, Void>
    ) async throws {
        journal.write("\(name) \(call.caller.name) \(call.client.name).\(call.action)")
        do {
            try await next(call)
            journal.write("\(name) success")
        } catch {
            journal.write("\(name) \(ActionOutcome(ofCallError: error)) \(error)")
            throw error
        }
    }
}

/// Doubles the numbers that are added.
private struct Doubling: Middleware {
    nonisolated(nonsending) func process(
        _ action: TallyAction,
        next: MiddlewareNext<TallyAction, Void>
    ) async throws {
        if case .add(let number) = action { return try await next(.add(number * 2)) }
        try await next(action)
    }
}

@MainActor
@Suite("Middleware around actions", .timeLimit(.minutes(10)))
struct MiddlewareTests {
    private let journal = Journal<String>()

    private func client(
        instrumentation: any Instrumentation = Instrumentations(),
        _ prepare: (Orchestrator) -> Void
    ) async throws -> (any Client<TallyState, TallyAction>, Orchestrator) {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation)
        prepare(orchestrator)
        try await orchestrator.start()
        return (try orchestrator.makeContext(ScriptContext.self).tally, orchestrator)
    }

    @Test("The middleware of all clients is outside that of one client, and the first used is the outermost (MID-01)")
    func order() async throws {
        let (tally, orchestrator) = try await client {
            $0.use(Noting(name: "one", journal: journal), for: TallyClient.self)
            $0.use(Noting(name: "first", journal: journal))
            $0.use(Noting(name: "second", journal: journal))
        }
        try await tally.process(.add(1))
        let call = "ScriptContext TallyClient.add"
        #expect(
            journal.entries == [
                "first \(call)", "second \(call)", "one \(call)", "one success", "second success", "first success",
            ]
        )
        await orchestrator.shutdown()
    }

    @Test("A middleware of one client can pass on another action (MID-01)")
    func transformation() async throws {
        let (tally, orchestrator) = try await client {
            $0.use(Doubling(), for: TallyClient.self)
            $0.use(Doubling(), for: TallyClient.self)
        }
        try await tally.process(.add(3))
        #expect(await tally.state.value == 12)
        await orchestrator.shutdown()
    }

    @Test("Errors and cancellations pass through unchanged (MID-01)")
    func errors() async throws {
        let (tally, orchestrator) = try await client { $0.use(Noting(name: "a", journal: journal)) }
        let error = await #expect(throws: SampleError.self) { try await tally.process(.fail("lost")) }
        #expect(error == SampleError("lost"))
        await #expect(throws: CancellationError.self) { try await tally.process(.cancel) }
        #expect(journal.entries[1] == "a failure lost")
        #expect(journal.entries[3].hasPrefix("a cancelled"))
        await orchestrator.shutdown()
    }

    @Test("Actions that one caller sends without waiting keep their order (MID-01)")
    func keepsOrder() async throws {
        let (tally, orchestrator) = try await client { $0.use(Noting(name: "a", journal: journal)) }
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<200 { tasks.append(Task { try await tally.process(.add(1)) }) }
        for task in tasks { try await task.value }
        #expect(await tally.state.value == 200)
        await orchestrator.shutdown()
    }

    @Test("The probe of a client counts the action once, inside the middleware (MID-01)")
    func observed() async throws {
        let recording = RecordingInstrumentation()
        let (tally, orchestrator) = try await client(instrumentation: recording) {
            $0.use(Noting(name: "a", journal: journal))
        }
        try await tally.process(.add(1))
        #if Instrumented
        let calls = recording.events.count {
            if case .callEnded("TallyClient", 0, .success, _) = $0 { true } else { false }
        }
        #expect(calls == 1)
        #endif
        await orchestrator.shutdown()
    }

    @Test("A client without middleware and validation has no interception (MID-01)")
    func notNeeded() {
        let table = MiddlewareTable()
        #expect(!table.chains(for: TallyClient.self).isNeeded)
        var other = table
        other.add(Doubling(), actions: TallyClient.self)
        #expect(other.chains(for: TallyClient.self).isNeeded)
        #expect(!other.chains(for: PingClient.self).isNeeded)
    }

    @Test("Middleware for a client that is not registered stops the start (MID-01)")
    func unknownClient() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.use(Doubling(), for: TallyClient.self)
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .notRegistered)
        #expect(error?.message.contains("TallyClient") == true)
    }

    @Test("Middleware that is used after the start ends at the boundary (MID-01)")
    func late() async throws {
        let (_, orchestrator) = try await client { _ in }
        orchestrator.use(Doubling(), for: TallyClient.self)
        await until { !orchestrator.errorBoundary.history.isEmpty }
        #expect((orchestrator.errorBoundary.history.last?.error as? CompositionError)?.code == .wrongPhase)
        await orchestrator.shutdown()
    }

    @Test("Each call of next runs the rest of the chain and the operation once more (MID-01)")
    func nextTwice() async throws {
        struct Twice: Middleware {
            nonisolated(nonsending) func process(_ input: Int, next: MiddlewareNext<Int, Int>) async throws -> Int {
                try await next(input) + next(input + 1)
            }
        }
        let runs = Lock(0)
        let chain = MiddlewareChain<Int, Int>([Twice(), Twice()])
        let sum = try await chain.run(1) { input in
            runs.withLock { $0 += 1 }
            return input
        }
        #expect(sum == 1 + 2 + 2 + 3 && runs.withLock { $0 } == 4)
    }

    @Test("An empty chain is the operation itself (MID-01)")
    func emptyChain() async throws {
        let chain = MiddlewareChain<Int, Int>()
        #expect(chain.isEmpty)
        #expect(try await chain.run(3) { $0 + 1 } == 4)
    }
}
