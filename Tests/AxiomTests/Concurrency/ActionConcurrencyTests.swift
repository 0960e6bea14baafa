// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// How a client's actions run that arrive while others are under way.
@MainActor
@Suite("Concurrency of a client's actions", .timeLimit(.minutes(10)))
struct ActionConcurrencyTests {
    private let journal = Journal<String>()
    private let gate = Gate()

    private func application(
        instrumentation: any Instrumentation = Instrumentations(),
        clock: TimeSource? = nil,
        key: @escaping @Sendable (WorkAction) -> String? = { _ in nil }
    ) async throws -> WorkApplication {
        try await WorkApplication(instrumentation: instrumentation, clock: clock, key: key) { [journal, gate] action in
            journal.write("begin \(action.number)")
            await gate.wait()
            journal.write(Task.isCancelled ? "cancelled \(action.number)" : "end \(action.number)")
            try Task.checkCancellation()
        }
    }

    @Test("Serial actions run one after the other in the order of their calls (CLI-07)")
    func serial() async throws {
        let app = try await application()
        var tasks: [Task<ActionOutcome, Never>] = []
        for number in 0..<4 { tasks.append(await app.call(.serial(number), expecting: number + 1)) }
        await journal.wait(for: "begin 0")
        #expect(journal.entries == ["begin 0"])
        gate.open()
        for task in tasks { #expect(await task.value == .success) }
        #expect(journal.entries == (0..<4).flatMap { ["begin \($0)", "end \($0)"] })
        #expect(app.scheduled == 0)
    }

    @Test("A caller beyond the limit of a serial queue is refused with an error that says so, and counted as rejected")
    func refused() async throws {
        let recording = RecordingInstrumentation()
        let app = try await application(instrumentation: recording)
        var tasks: [Task<ActionOutcome, Never>] = []
        for number in 0...WorkClient.queueLimit { tasks.append(await app.call(.serial(number), expecting: number + 1)) }
        let error = await #expect(throws: ClientError.self) { try await app.client.process(.serial(9)) }
        #expect(error?.code == .actionQueueFull && error?.isRecoverable == true)
        #expect(error?.message == "The client WorkClient refused the action serial: 3 callers already wait.")
        gate.open()
        for task in tasks { #expect(await task.value == .success) }
        #if Instrumented
        #expect(recording.events.contains(.callRefused("WorkClient", 1)))
        let ended = recording.events.count {
            if case .callEnded("WorkClient", 1, .success, _) = $0 { true } else { false }
        }
        #expect(ended == 4)
        #endif
    }

    @Test(
        "A caller that is cancelled while it waits gets its answer at once, and the queue goes on without it (CLI-10)"
    )
    func cancelledInQueue() async throws {
        let app = try await application()
        let first = await app.call(.serial(0), expecting: 1)
        let second = await app.call(.serial(1), expecting: 2)
        let third = await app.call(.serial(2), expecting: 3)
        second.cancel()
        #expect(await second.value == .cancelled)
        #expect(app.scheduled == 2)
        gate.open()
        #expect(await first.value == .success)
        #expect(await third.value == .success)
        #expect(!journal.entries.contains("begin 1"))
    }

    @Test("The newest of several actions cancels the one under way; those between them never run")
    func latest() async throws {
        let app = try await application()
        let first = await app.call(.latest(0), expecting: 1)
        await journal.wait(for: "begin 0")
        let second = await app.call(.latest(1), expecting: 2)
        let third = Task { await app.call(.latest(2), expecting: 2) }
        #expect(await second.value == .cancelled)
        let last = await third.value
        #expect(journal.entries == ["begin 0"])
        gate.open()
        #expect(await first.value == .cancelled)
        #expect(await last.value == .success)
        #expect(journal.entries == ["begin 0", "cancelled 0", "begin 2", "end 2"])
        #expect(app.scheduled == 0)
    }

    @Test("A superseded action is not sent again by a retry around it, and is no failure of a breaker")
    func supersededInRetry() async throws {
        let app = try await application()
        let retry = try Retry("r") { $0.backoff = .none }
        let breaker = try CircuitBreaker(name: "b")
        let calls = (0..<2).map { number in
            Task { [client = app.client] in
                try await retry.run { try await breaker.run { try await client.process(.latest(number)) } }
            }
        }
        await app.wait(forScheduled: 2)
        let last = Task { [client = app.client] in try await client.process(.latest(2)) }
        while retry.counts[.cancelled] == 0 { await Task.yield() }
        gate.open()
        try await last.value
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(retry.counts.retries == 0 && retry.counts[.cancelled] == 2)
        #expect(breaker.counts().failure == 0 && breaker.counts().cancelled == 2)
        #expect(app.scheduled == 0)
    }

    @Test("Cancelling the caller of a latest action cancels the action (CLI-10)")
    func latestCancelled() async throws {
        let app = try await application()
        let task = await app.call(.latest(0), expecting: 1)
        await journal.wait(for: "begin 0")
        task.cancel()
        gate.open()
        #expect(await task.value == .cancelled)
        #expect(journal.entries == ["begin 0", "cancelled 0"])
    }

    @Test("The same operation under way is joined, not started twice (CLI-08)")
    func first() async throws {
        let app = try await application()
        let leader = await app.call(.first(0), expecting: 1)
        await journal.wait(for: "begin 0")
        let others = (1..<10).map { number in Task { try await app.client.process(.first(number)) } }
        while app.joined != 10 { await Task.yield() }
        #expect(app.scheduled == 1)
        leader.cancel()
        #expect(await leader.value == .cancelled)
        gate.open()
        for other in others { try await other.value }
        #expect(journal.entries == ["begin 0", "end 0"])
    }

    @Test("Actions with different keys do not wait for each other, and do not join")
    func keys() async throws {
        let app = try await application { "\($0.number)" }
        let calls: [WorkAction] = [.serial(0), .serial(1), .latest(2), .latest(3), .first(4), .first(5)]
        var tasks: [Task<ActionOutcome, Never>] = []
        for (index, action) in calls.enumerated() { tasks.append(await app.call(action, expecting: index + 1)) }
        await journal.wait { $0.count == calls.count }
        gate.open()
        for task in tasks { #expect(await task.value == .success) }
    }

    @Test("Rapid actions are debounced: the last one runs when the quiet time has passed (CLI-17)")
    func debounced() async throws {
        let time = ManualTime()
        gate.open()
        let app = try await application(clock: .manual(time))
        var tasks: [Task<ActionOutcome, Never>] = []
        for number in 0..<5 {
            tasks.append(await app.call(.quiet(number), expecting: 1))
            if number > 0 { #expect(await tasks[number - 1].value == .cancelled) }
            await time.waitForSleepers(1)
            time.advance(by: .milliseconds(299))
        }
        #expect(journal.entries.isEmpty)
        time.advance(by: .milliseconds(1))
        #expect(await tasks[4].value == .success)
        #expect(journal.entries == ["begin 4", "end 4"])
        #expect(app.scheduled == 0)
    }

    @Test("A debounced action that is cancelled during its quiet time ends at once (CLI-10)")
    func debouncedCancelled() async throws {
        let app = try await application(clock: .manual(ManualTime()))
        let task = await app.call(.quiet(0), expecting: 1)
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(journal.entries.isEmpty && app.scheduled == 0)
    }

    @Test("Interleaved actions of the same client run while others are suspended")
    func interleaved() async throws {
        let app = try await application()
        let calls = (0..<3).map { number in Task { try await app.client.process(.free(number)) } }
        await journal.wait { $0.count == 3 }
        gate.open()
        for call in calls { try await call.value }
    }

    @Test("A serial action that waits for itself is refused with the path (CLI-12)")
    func selfWait() async throws {
        let box = Box<any StatelessClient<WorkAction>>()
        let signals = SignalJournal()
        let app = try await WorkApplication(instrumentation: signals) { action in
            if action.number > 0 { try await box.value?.process(.serial(action.number - 1)) }
        }
        box.put(app.client)
        let error = await #expect(throws: LifecycleError.self) { try await app.client.process(.serial(1)) }
        #expect(error?.code == .waitsForItself)
        #expect(error?.message.contains("action of the client WorkClient → action of the client WorkClient") == true)
        try await app.client.process(.serial(0))
        #expect(app.scheduled == 0)
        #if Instrumented
        #expect(signals.all("axiom_deadlocks_total WorkClient") == [1])
        #endif
    }

    @Test("A cycle of waits through two queues is refused, also after a call between them has left its queue (CLI-12)")
    func cycle() async throws {
        let (box, gate, errors) = (Box<any StatelessClient<WorkAction>>(), gate, Journal<ErrorCode>())
        let key: @Sendable (WorkAction) -> String? = { $0.number < 10 ? "a" : "x" }
        let app = try await WorkApplication(key: key) { action in
            if action == .serial(11) { try await box.value?.process(.serial(2)) }
            guard action == .serial(0) else { return }
            await gate.wait()
            do {
                try await box.value?.process(.serial(12))
            } catch {
                errors.write(ErrorCode(of: error))
            }
        }
        box.put(app.client)
        // In the queue a: 0 runs, 1 waits, 2 waits for the action 11 of the queue x.
        let first = await app.call(.serial(0), expecting: 1)
        let second = await app.call(.serial(1), expecting: 2)
        let third = await app.call(.serial(11), expecting: 4)
        second.cancel()
        #expect(await second.value == .cancelled)
        gate.open()
        #expect(await first.value == .success)
        #expect(await third.value == .success)
        #expect(errors.entries == [.waitsForItself])
        #expect(app.scheduled == 0)
    }

    @Test("A client that does not choose a rule has no scheduler")
    func unscheduled() async throws {
        let orchestrator = Orchestrator.scripted()
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        // Only a client without a policy is behind this one.
        #expect(context.tally is UnobservedClient<TallyClient>)
    }

    @Test("With random actions and cancellations each call ends, and nothing stays in the scheduler")
    func random() async throws {
        gate.open()
        let app = try await WorkApplication { action in
            for _ in 0..<(action.number % 4) { await Task.yield() }
            try Task.checkCancellation()
        }
        var random = SeededGenerator(seed: 7)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<2_000 {
            let all: [WorkAction] = [.serial(number), .latest(number), .first(number), .free(number)]
            let action = all[random.index(below: all.count)]
            tasks.append(Task { try await app.client.process(action) })
            if random.index(below: 3) == 0 { tasks[random.index(below: tasks.count)].cancel() }
            if random.index(below: 8) == 0 { await Task.yield() }
        }
        for task in tasks { _ = await task.result }
        #expect(app.scheduled == 0)
    }
}
