// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Limited waits", .timeLimit(.minutes(10)))
struct LimitedWaitTests {
    private let time = ManualTime()
    private let journal = Journal<String>()
    /// Of this test alone: all tests of the process share one table.
    private let client: ComponentDescriptor

    init() {
        client = ComponentDescriptor(
            kind: .client,
            name: "SlowClient\(UInt(bitPattern: ObjectIdentifier(time).hashValue))"
        )
    }

    private func limit(_ seconds: Int = 5) -> WaitLimit {
        WaitLimit(
            TurnSubject(.deactivate, of: client),
            name: "deactivation",
            .seconds(seconds),
            clock: .manual(time)
        )
    }

    private var liveTurns: [TurnTable.Turn] {
        Turns.live.map(\.turn).filter { $0.subject.component == client }
    }

    @Test("What ends in time returns its result, and needs no timer if it does not suspend")
    func inTime() async throws {
        #expect(try await withLimit(limit()) { 7 } == 7)
        await #expect(throws: SampleError("no")) { try await withLimit(limit()) { throw SampleError("no") } }
        #expect(time.sleeperCount == 0)
        #expect(liveTurns.isEmpty)
    }

    @Test("What suspends and ends in time returns its result, and its timer ends")
    func suspends() async throws {
        let (gate, time) = (Gate(), time)
        async let result = withLimit(limit()) {
            await gate.wait()
            return 7
        }
        await time.waitForSleepers(1)
        gate.open()
        #expect(try await result == 7)
        while time.sleeperCount > 0 { await Task.yield() }
    }

    @Test(
        "What ignores its cancellation is abandoned at the limit, with an error that names it, and stays in the table"
    )
    func ignoresCancellation() async throws {
        let (gate, journal) = (Gate(), journal)
        let wait = Task {
            try await withLimit(limit(5)) {
                await gate.wait()
                journal.write(Task.isCancelled ? "cancelled" : "not cancelled")
            }
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: LifecycleError.self) { try await wait.value }
        #expect(error?.code == .limitExpired)
        #expect(error?.origin == client)
        for part in ["deactivate", "client SlowClient", "5.0 seconds", "WaitLimits.deactivation"] {
            #expect(error?.description.contains(part) == true, "\(part)")
        }
        #expect(liveTurns.map(\.isAbandoned) == [true])
        gate.open()
        await journal.wait(for: "cancelled")
        while !liveTurns.isEmpty { await Task.yield() }
    }

    @Test("A nanosecond before the limit nothing is abandoned")
    func justBefore() async throws {
        let gate = Gate()
        let wait = Task { try await withLimit(concurrently: limit(5)) { await gate.wait() } }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5) - .nanoseconds(1))
        gate.open()
        try await wait.value
    }

    @Test("A caller that is cancelled cancels what it waits for", arguments: [true, false])
    func callerCancelled(before: Bool) async throws {
        let journal = journal
        let wait = Task {
            if before { withUnsafeCurrentTask { $0?.cancel() } }
            try await withLimit(limit()) {
                journal.write("begun")
                try await Task.sleep(for: .seconds(3600))
            }
        }
        await journal.wait(for: "begun")
        if !before { wait.cancel() }
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test("What runs within a limit knows the turn that it is in; a turn that waits for it is refused to it")
    func turn() async throws {
        let outer = Turns.begin(TurnSubject(.shutdown, of: client), clock: .live)
        let limit = limit()
        let cycle = try await Turns.run(outer) {
            try await withLimit(limit) {
                await #expect(throws: WaitCycle.self) { try await Turns.wait(for: outer) { Issue.record("waits") } }
            }
        }
        #expect(cycle?.path.map(\.operation) == [.deactivate, .shutdown, .deactivate])
        #expect(liveTurns.isEmpty)
    }

    @Test("A task that is detached inherits no turn, and one that outlives its turn has none")
    func strayTasks() async throws {
        let gate = Gate()
        let outer = Turns.begin(TurnSubject(.shutdown, of: client), clock: .live)
        let (stray, detached) = await Turns.run(outer) {
            let stray = Task {
                await gate.wait()
                try await Turns.wait(for: outer) {}
            }
            return (stray, Task.detached { Turns.current })
        }
        #expect(await detached.value == nil)
        gate.open()
        try await stray.value
    }

    @Test("A limit that is not longer than zero is a mistake of composition that names it")
    func invalid() {
        var limits = WaitLimits()
        #expect(limits.mistakes.isEmpty)
        limits.termination = .zero
        limits.shutdown = .seconds(-1)
        #expect(limits.mistakes.map(\.code) == [.invalidLimit, .invalidLimit])
        #expect(limits.mistakes.contains { $0.message.contains("termination") })
    }
}
