// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import Axiom

/// An observer of the framework that can do nothing more than any other.
private struct Spanless: Instrumentation, FrameworkObserver {
    let journal = RequestJournal()

    var frameworkObservers: FrameworkObservers { FrameworkObservers(self) }
}

private actor ProbingClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: NoAction) async throws {}
}

private enum ProbingRequest: Action {
    typealias Answer = String

    case run
}

/// Answers with what its work has, and has the defaults of the protocol.
private final class ProbingHandler: RequestHandler {
    let identity: ComponentIdentity

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        _ = try scope.client(ProbingClient.self)
    }

    func handle(_ request: ProbingRequest, in work: borrowing WorkScope) async throws -> String {
        "\(work.traceparent ?? "nil") \(work.deadline != nil)"
    }
}

@MainActor
@Suite("Requests to a handler", .timeLimit(.minutes(10)))
struct EndpointTests {
    @Test("Each of many concurrent requests gets the answer of its own call", arguments: [true, false])
    func ownAnswers(isObserved: Bool) async throws {
        let app = StockApp(left: 500, isObserved: isObserved)
        try await app.start()
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 { group.addTask { try await app.endpoint.request(.take) } }
            var answers: [Int] = []
            for try await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers.sorted() == Array(0..<500))
        await app.orchestrator.shutdown()
    }

    @Test("Each request has a number of its own, and the requests of a session have that of the session")
    func numbers() async throws {
        let app = StockApp()
        try await app.start()
        let single = [try await app.endpoint.request(.number), try await app.endpoint.request(.number)]
        let session = try await app.endpoint.session { session in
            [try await session.request(.number), try await session.request(.number)]
        }
        #expect(Set(single).count == 2 && session[0] == session[1])
        #expect(!single.contains(session[0]))
        await app.orchestrator.shutdown()
    }

    @Test("A handler is not on the main actor: a request is answered while the main actor waits")
    func offMain() async throws {
        let app = StockApp()
        try await app.start()
        let answer = Journal<Int>()
        Task.detached { answer.write(try await app.endpoint.request(.take)) }
        // Blocks the main actor, which the request must not need.
        let end = ContinuousClock.now + .seconds(20)
        while answer.entries.isEmpty, ContinuousClock.now < end {}
        #expect(answer.entries == [99])
        await app.orchestrator.shutdown()
    }

    @Test("Values reach the handler, its child tasks, its clients and their capabilities")
    func values() async throws {
        let app = StockApp()
        app.orchestrator.values[Brightness.self] = 3
        try await app.start()
        #expect(try await app.endpoint.request(.look) == 3)
        var values = AppValues()
        values[Brightness.self] = 4
        #expect(try await app.endpoint.request(.look, from: RequestOrigin(values: values)) == 4)
        app.orchestrator.values[Brightness.self] = 5
        #expect(try await app.endpoint.request(.look) == 5)
        #expect(AppValues.current[Brightness.self] == 0)
        await app.orchestrator.shutdown()
    }

    @Test("A request is refused before the start, after the shutdown, and answered in each run")
    func runs() async throws {
        let app = StockApp()
        for _ in 0..<2 {
            let error = await #expect(throws: RequestError.self) { try await app.endpoint.request(.take) }
            #expect(error?.code == .requestsClosed)
            #expect(error?.retryAfter == .seconds(1))
            try await app.start()
            #expect(try await app.endpoint.request(.take) == 99)
            #expect(try await app.orchestrator.endpoint(StockHandler.self).request(.take) == 98)
            await app.orchestrator.shutdown()
        }
    }

    @Test("An error is counted once, at the handler, under the client in which it arose")
    func errors() async throws {
        let app = StockApp()
        try await app.start()
        await #expect(throws: SampleError("broken")) { try await app.endpoint.request(.fail("broken")) }
        await #expect(throws: SampleError("the translation")) { try await app.endpoint.request(.fail("translated")) }
        #expect(try await app.endpoint.request(.fail("mended")) == 99)
        app.expect(errors: ["broken", "translated"])
        let paths = app.journal.errors.entries.map { $0.path.map(\.description) }
        #expect(paths.allSatisfy { $0 == ["client StockClient", "request StockHandler"] })
        let recoveries = app.journal.recoveries.entries
        #expect(recoveries.allSatisfy { $0.strategy == "answer" && $0.outcome == .recovered })
        #expect(recoveries.count == (InstrumentedTrait.isOn ? 1 : 0))
        #expect(app.orchestrator.inspect().handlers.map { [$0.errors, $0.recovered] } == [[2, 1]])
        let outcomes = [ActionOutcome.failure, .failure, .success]
        app.expect(requests: outcomes.flatMap { [.began("fail"), .ended("fail", $0)] })
        await app.orchestrator.shutdown()
    }

    @Test("An invalid request does not reach the handler, and is counted as refused and not as an error")
    func validation() async throws {
        let app = StockApp()
        try await app.start()
        let error = await #expect(throws: ValidationError.self) { try await app.endpoint.request(.invalid) }
        #expect(error?.code == .actionRefused)
        app.expect(requests: [.refused("invalid")])
        app.expect(errors: [])
        await app.orchestrator.shutdown()
    }

    @Test("A cancelled caller cancels its request, which is no error")
    func cancellation() async throws {
        let app = StockApp()
        try await app.start()
        let caller = Task { try await app.endpoint.request(.sleep) }
        await app.desk.journal.wait(for: "sleep")
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        app.expect(requests: [.began("sleep"), .ended("sleep", .cancelled)])
        app.expect(errors: [])
        await app.orchestrator.shutdown()
    }

    @Test("A request that is too late is cancelled, counted once and reported as a failure of the handler")
    func deadline() async throws {
        let app = StockApp()
        try await app.start()
        let caller = Task { try await app.endpoint.request(.sleep) }
        await app.desk.journal.wait(for: "sleep")
        await app.time.waitForSleepers(2)
        app.time.advance(by: .seconds(5))
        let error = await #expect(throws: RequestError.self) { try await caller.value }
        #expect(error?.code == .requestTooLate)
        app.expect(requests: [.began("sleep"), .ended("sleep", .failure)])
        #expect(app.orchestrator.inspect().handlers.map(\.errors) == [1])
        await app.orchestrator.shutdown()
    }

    @Test("The caller's limit is shorter than the handler's, and one that is over refuses the request")
    func callersLimit() async throws {
        let app = StockApp()
        try await app.start()
        let caller = Task {
            try await app.endpoint.request(.sleep, from: RequestOrigin(timeLimit: .seconds(2)))
        }
        await app.desk.journal.wait(for: "sleep")
        await app.time.waitForSleepers(2)
        app.time.advance(by: .seconds(2))
        await #expect(throws: RequestError.self) { try await caller.value }
        let over = await #expect(throws: RequestError.self) {
            try await app.endpoint.request(.take, from: RequestOrigin(timeLimit: .zero))
        }
        #expect(over?.code == .requestTooLate)
        #expect(!InstrumentedTrait.isOn || app.journal.requests.entries.last == .refused("take"))
        await app.orchestrator.shutdown()
    }

    @Test("The deadline of another request, which its values have, does not count")
    func staleDeadline() async throws {
        let app = StockApp()
        try await app.start()
        var values = AppValues()
        values.deadline = app.time.now.advanced(by: .seconds(-1))
        #expect(try await app.endpoint.request(.take, from: RequestOrigin(values: values)) == 99)
        await app.orchestrator.shutdown()
    }

    @Test("An endpoint of a late registration says so")
    func lateRegistration() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        try await orchestrator.start()
        let endpoint = orchestrator.register(StockHandler.self) { try StockHandler($0, StockHandler.Desk()) }
        let error = await #expect(throws: RequestError.self) { try await endpoint.request(.take) }
        #expect(error?.message.contains("after start()") == true && error?.retryAfter == nil)
        await orchestrator.shutdown()
    }

    @Test("Several observers see each request; without a recorder of spans an outgoing call has no traceparent")
    func observers() async throws {
        let (first, second) = (RequestJournal(), Spanless())
        let observers = Instrumentations(first, second.journal, second)
        let orchestrator = Orchestrator(instrumentation: observers, limits: .endless)
        orchestrator.register(ProbingClient.self) { ProbingClient($0) }
        let endpoint = orchestrator.register(ProbingHandler.self) { try ProbingHandler($0) }
        try await orchestrator.start()
        #expect(try await endpoint.request(.run, from: RequestOrigin(timeLimit: .seconds(3_600))) == "nil true")
        #expect(try await endpoint.request(.run) == "nil false")
        let one: [RequestJournal.Event] = [.began("run"), .ended("run", .success)]
        let expected = InstrumentedTrait.isOn ? one + one : []
        #expect(first.requests.entries == expected && second.journal.requests.entries == expected)
        await orchestrator.shutdown()
    }

    @Test("An inspection has the handlers, also after a way through JSON")
    func inspection() async throws {
        let app = StockApp()
        #expect(app.orchestrator.inspect().handlers.map(\.id) == [nil])
        try await app.start()
        let handler = try #require(app.orchestrator.inspect().handlers.first)
        #expect(handler.name == "StockHandler" && handler.id != nil && handler.inFlight == 0 && handler.waiting == 0)
        let json = try JSONEncoder().encode(app.orchestrator.inspect())
        #expect(try JSONDecoder().decode(Inspection.self, from: json).handlers == [handler])
        await app.orchestrator.shutdown()
    }

    @Test("A handler ends with the run, and its endpoint keeps nothing of it")
    func lifetime() async throws {
        let recorder = RecordingInstrumentation()
        let orchestrator = Orchestrator(instrumentation: recorder, limits: .endless)
        orchestrator.register(StockClient.self) { try StockClient($0, left: 1) }
        let endpoint = orchestrator.register(StockHandler.self) { try StockHandler($0, StockHandler.Desk()) }
        try await orchestrator.start()
        #expect(recorder.live("StockHandler").count == (InstrumentedTrait.isOn ? 1 : 0))
        _ = try await endpoint.request(.take)
        await orchestrator.shutdown()
        #expect(recorder.live("StockHandler").isEmpty)
        let handler = ComponentDescriptor(kind: .request, name: "StockHandler")
        #expect(orchestrator.graph.dependencies(of: handler).map(\.name) == ["StockClient"])
    }

    @Test("Mistakes in registrations are thrown by the start")
    func mistakes() async throws {
        let desk = StockHandler.Desk()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(StockHandler.self, limits: RequestLimits(inFlight: 0, waiting: -1, retryAfter: .zero)) {
            try StockHandler($0, desk)
        }
        orchestrator.register(StockHandler.self) { try StockHandler($0, desk) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        for part in ["inFlight", "waiting", "retryAfter", "registered twice"] {
            #expect(error?.message.contains(part) == true, "\(part): \(error?.message ?? "")")
        }
        let other = Orchestrator(limits: .endless)
        #expect(throws: CompositionError.self) { try other.endpoint(StockHandler.self) }
        other.register(StockHandler.self) { try StockHandler($0, desk) }
        let missing = await #expect(throws: CompositionError.self) { try await other.start() }
        #expect(missing?.code == .notRegistered)
    }

    @Test("A handler whose client did not start refuses its requests with the cause; the application runs")
    func failedClient() async throws {
        let journal = RequestJournal()
        let orchestrator = Orchestrator(instrumentation: journal, limits: .endless)
        orchestrator.register(StockClient.self) { _ in throw SampleError("no stock") }
        let endpoint = orchestrator.register(StockHandler.self) { try StockHandler($0, StockHandler.Desk()) }
        try await orchestrator.start()
        let error = await #expect(throws: RequestError.self) { try await endpoint.request(.take) }
        #expect(error?.code == .requestsClosed)
        #expect(error?.message.contains("no stock") == true && error?.retryAfter == nil)
        #expect(journal.requests.entries == (InstrumentedTrait.isOn ? [.refused("take")] : []))
        #expect(orchestrator.isRunning)
        await orchestrator.shutdown()
    }
}
