// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("Admission and shutdown of requests", .timeLimit(.minutes(10)))
struct RequestLimitTests {
    @Test("A request beyond the limits is refused with the time to try again, and the others are answered")
    func full() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1, waiting: 1, retryAfter: .seconds(7)))
        try await app.start()
        let first = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let second = Task { try await app.endpoint.request(.wait(2)) }
        await eventually { app.endpoint.waiting == 1 }
        let error = await #expect(throws: RequestError.self) { try await app.endpoint.request(.wait(3)) }
        #expect(error?.code == .requestsFull)
        #expect(error?.retryAfter == .seconds(7))
        app.expect(requests: [.began("wait"), .refused("wait")])
        #expect(app.endpoint.inFlight == 1)
        app.desk.gate.open()
        #expect(try await [first.value, second.value] == [1, 2])
        #expect(app.endpoint.inFlight == 0)
        app.expect(errors: [])
        await app.orchestrator.shutdown()
    }

    @Test("A request that waits too long is refused")
    func waitsTooLong() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1, waitingTime: .seconds(3)))
        try await app.start()
        let first = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let second = Task { try await app.endpoint.request(.wait(2)) }
        await app.time.waitForSleepers(1)
        app.time.advance(by: .seconds(3))
        let error = await #expect(throws: RequestError.self) { try await second.value }
        #expect(error?.code == .requestsFull)
        app.desk.gate.open()
        #expect(try await first.value == 1)
        await app.orchestrator.shutdown()
    }

    @Test("A route of a higher priority runs first, and displaces a waiting request of a lower one")
    func priorities() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1, waiting: 1))
        try await app.start()
        let first = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let normal = Task { try await app.endpoint.request(.wait(2)) }
        await eventually { app.endpoint.waiting == 1 }
        let high = Task { try await app.endpoint.request(.take) }
        let error = await #expect(throws: RequestError.self) { try await normal.value }
        #expect(error?.code == .requestsFull)
        app.desk.gate.open()
        #expect(try await [first.value, high.value] == [1, 99])
        await app.orchestrator.shutdown()
    }

    @Test("A shutdown refuses requests, waits for those that run, and then ends the clients")
    func drain() async throws {
        let app = StockApp()
        try await app.start()
        let running = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let shutdown = Task { await app.orchestrator.shutdown() }
        await eventually { !app.orchestrator.isRunning }
        await app.time.waitForSleepers(1)
        let error = await #expect(throws: RequestError.self) { try await app.endpoint.request(.take) }
        #expect(error?.code == .requestsClosed)
        #expect(!InstrumentedTrait.isOn || app.journal.requests.entries.last == .refused("take"))
        #expect(app.orchestrator.phase == .stopping)
        app.desk.gate.open()
        #expect(try await running.value == 1)
        await shutdown.value
        #expect(app.orchestrator.errorBoundary.history.isEmpty)
    }

    @Test("A shutdown does not wait longer than its limit, and names the handler")
    func drainLimit() async throws {
        let app = StockApp(shutdown: .seconds(4))
        try await app.start()
        let running = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let shutdown = Task { await app.orchestrator.shutdown() }
        await app.time.waitForSleepers(1)
        app.time.advance(by: .seconds(4))
        await shutdown.value
        let error = app.orchestrator.errorBoundary.history.first?.error as? LifecycleError
        #expect(error?.code == .limitExpired)
        #expect(error?.message.contains("request StockHandler") == true)
        #expect(error?.recoverySuggestion.contains("WaitLimits.requests") == true)
        app.desk.gate.open()
        #expect(try await running.value == 1)
    }

    @Test("A request that shuts the application down is answered, and the shutdown goes on")
    func shutdownFromRequest() async throws {
        let app = StockApp()
        try await app.start()
        let orchestrator = app.orchestrator
        try await app.endpoint.session { session in
            await orchestrator.shutdown()
            // It goes on, and soon refuses requests.
            while (try? await session.request(.take)) != nil { await Task.yield() }
        }
        await orchestrator.shutdown()
        #expect(orchestrator.phase == .stopped)
        #expect(orchestrator.errorBoundary.history.isEmpty)
    }

    @Test("A request whose caller leaves while it waits is cancelled, and not refused")
    func leavesQueue() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1))
        try await app.start()
        let first = Task { try await app.endpoint.request(.wait(1)) }
        await app.desk.journal.wait(for: "wait 1")
        let second = Task { try await app.endpoint.request(.take) }
        await eventually { app.endpoint.waiting == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        app.expect(requests: [.began("wait"), .began("take"), .ended("take", .cancelled)])
        app.desk.gate.open()
        #expect(try await first.value == 1)
        await app.orchestrator.shutdown()
    }

    @Test("When the shutdown no longer waits, sessions are cancelled, and what waits for a place does not run")
    func abandoned() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1, waitingTime: .seconds(60)), shutdown: .seconds(4))
        try await app.start()
        let busy = Task {
            try await app.endpoint.session { session in
                _ = await #expect(throws: CancellationError.self) { try await session.request(.sleep) }
            }
        }
        await app.desk.journal.wait(for: "sleep")
        let waiting = Task { try await app.endpoint.request(.wait(2)) }
        await eventually { app.endpoint.waiting == 1 }
        let shutdown = Task { await app.orchestrator.shutdown() }
        await app.time.waitForSleepers(4)
        app.time.advance(by: .seconds(4))
        await shutdown.value
        try await busy.value
        let error = await #expect(throws: RequestError.self) { try await waiting.value }
        #expect(error?.code == .requestsClosed)
    }

    @Test("A session takes one place, and answers many requests with its values")
    func session() async throws {
        let app = StockApp(requests: RequestLimits(inFlight: 1, waiting: 0))
        try await app.start()
        var values = AppValues()
        values[Brightness.self] = 8
        let answers = try await app.endpoint.session(from: RequestOrigin(values: values)) { session in
            #expect(session.values[Brightness.self] == 8)
            await #expect(throws: RequestError.self) { try await app.endpoint.request(.take) }
            return [try await session.request(.take), try await session.request(.look)]
        }
        #expect(answers == [99, 8])
        #expect(try await app.endpoint.request(.take) == 98)
        await app.orchestrator.shutdown()
    }

    @Test("At a shutdown an idle session is cancelled at once, and a busy one after its request")
    func sessionsAtShutdown() async throws {
        let app = StockApp()
        try await app.start()
        let journal = Journal<String>()
        let idle = Task {
            try await app.endpoint.session { _ in
                journal.write("idle")
                try await TimeSource.manual(app.time).sleep(for: .seconds(1_000))
            }
        }
        let busy = Task {
            try await app.endpoint.session { session in
                journal.write("answer \(try await session.request(.wait(1)))")
                let error = await #expect(throws: RequestError.self) { try await session.request(.take) }
                #expect(error?.code == .requestsClosed)
                journal.write("cancelled \(Task.isCancelled)")
            }
        }
        await journal.wait(for: "idle")
        await app.desk.journal.wait(for: "wait 1")
        let shutdown = Task { await app.orchestrator.shutdown() }
        let error = await #expect(throws: RequestError.self) { try await idle.value }
        #expect(error?.code == .requestsClosed)
        app.desk.gate.open()
        try await busy.value
        await shutdown.value
        #expect(journal.entries == ["idle", "answer 1", "cancelled true"])
    }

    @Test("A session that is cancelled by its caller ends with a cancellation")
    func cancelledSession() async throws {
        let app = StockApp()
        try await app.start()
        let journal = Journal<String>()
        let caller = Task {
            try await app.endpoint.session { _ in
                journal.write("begun")
                try await TimeSource.manual(app.time).sleep(for: .seconds(1_000))
            }
        }
        await journal.wait(for: "begun")
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(app.endpoint.inFlight == 0)
        await app.orchestrator.shutdown()
    }

    @Test(
        "A traceparent has the form of W3C Trace Context, or counts as none",
        arguments: [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", true),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes", true),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", false),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false),
            ("00--b7ad6b7169203331-01", false), ("-", false), ("", false), ("é", false),
            ("00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
        ]
    )
    func traceparent(text: String, isValid: Bool) {
        let parent = RequestOrigin(traceparent: text).remoteParent
        #expect(parent.isNone != isValid)
        guard isValid else { return }
        #expect(parent.subject == 0x0af7_6519_16cd_43dd)
        #expect(parent.trace == 0x8448_eb21_1c80_319c)
        #expect(parent.span == 0xb7ad_6b71_6920_3331)
    }
}
