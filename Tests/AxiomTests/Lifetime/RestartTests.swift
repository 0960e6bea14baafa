// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Testing

@testable import Axiom

@MainActor
@Suite("Starts that are cancelled, fail or are repeated", .timeLimit(.minutes(10)))
struct RestartTests {
    private let journal = Journal<String>()
    /// Stands still: no limit expires.
    private let clock = TimeSource.manual(ManualTime())

    private func started(_ entry: String) -> LifeClient.Script {
        let journal = journal
        return LifeClient.Script(
            activate: { journal.write("activate \(entry)") },
            deactivate: { journal.write("deactivate \(entry)") }
        )
    }

    @Test(
        "A start whose task is cancelled while a client activates throws CancellationError and leaves nothing running"
    )
    func cancelledInActivation() async throws {
        let (orchestrator, journal) = (Orchestrator(clock: clock), journal)
        let machine = PartMachine()
        machine.register([0], in: orchestrator)
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        orchestrator.register(
            LifeClient.Script(activate: {
                journal.write("begun")
                try await Task.sleep(for: .seconds(3600))
            })
        )
        let start = Task { try await orchestrator.start() }
        await journal.wait(for: "begun")
        start.cancel()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(!orchestrator.isRunning && orchestrator.phase == .stopped)
        #expect(journal.entries == ["activate PingClient", "begun", "deactivate PingClient"])
        #expect(machine.order(of: "terminated") == [0])
        #expect(orchestrator.errorBoundary.history.isEmpty)
    }

    @Test("A start that is cancelled while a capability is initialised throws CancellationError, no critical error")
    func cancelledInInitialization() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        machine.onInitialize = { if $0 == 1 { try await Task.sleep(for: .seconds(3600)) } }
        machine.register(0..<2, in: orchestrator)
        let start = Task { try await orchestrator.start() }
        await machine.journal.wait(for: "begin P1")
        start.cancel()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(machine.order(of: "terminated") == [0])
        #expect(orchestrator.errorBoundary.history.isEmpty)
    }

    @Test("A start that a shutdown cancels throws CancellationError even if the client ignores its cancellation")
    func shutdownDuringActivation() async throws {
        try await withInterleavings(20) { try await Self().shutDownDuringActivation($0) }
    }

    private func shutDownDuringActivation(_ run: Interleaving) async throws {
        let (orchestrator, journal, gate) = (Orchestrator(clock: clock), journal, Gate())
        orchestrator.register(
            LifeClient.Script(
                activate: {
                    journal.write("begun")
                    await gate.wait()
                },
                deactivate: { journal.write("deactivated") }
            )
        )
        let start = Task.onMainActor { try await orchestrator.start() }
        await journal.wait(for: "begun")
        async let shutdown: Void = orchestrator.shutdown()
        await run.quiet()
        gate.open()
        await #expect(throws: CancellationError.self) { try await start.value }
        await shutdown
        #expect(journal.entries == ["begun", "deactivated"])
        #expect(orchestrator.phase == .stopped)
    }

    @Test("A mount whose context still appears when the application is shut down throws CancellationError")
    func mountUnderShutdown() async throws {
        let (begun, gate) = (Gate(), Gate())
        var script = ScriptContext.Script()
        script.onAppear = { _ in
            begun.open()
            await gate.wait()
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        let mount = Task { try await host.mount() }
        await begun.wait()
        await orchestrator.shutdown()
        gate.open()
        await #expect(throws: CancellationError.self) { try await mount.value }
        #expect(host.context == nil)
    }

    @Test("After a failed start the cause can be removed and the orchestrator started again, with its registrations")
    func afterFailure() async throws {
        let (orchestrator, isUp) = (Orchestrator(limits: .endless), Box<Bool>())
        var machine = PartMachine()
        machine.onInitialize = { if $0 == 0, isUp.value != true { throw SampleError("the database is not up") } }
        machine.register([0], in: orchestrator)
        orchestrator.register(started("client"))
        let error = await #expect(throws: CapabilityError.self) { try await orchestrator.start() }
        #expect(error?.message.contains("the database is not up") == true)
        #expect(journal.entries.isEmpty)
        isUp.put(true)
        try await orchestrator.start()
        #expect(orchestrator.isRunning)
        #expect(journal.entries == ["activate client"])
        #expect(machine.order(of: "initialized") == [0])
    }

    @Test("A retry that was offered in one run starts no client in the next")
    func retryOfAnEarlierRun() async throws {
        let (orchestrator, isUp, journal) = (Orchestrator(clock: clock), Box<Bool>(), journal)
        orchestrator.register(
            LifeClient.Script(activate: {
                guard isUp.value == true else { throw SampleError("the server is not up") }
                journal.write("activated")
            })
        )
        orchestrator.recover { _ in .notify(options: [.retry()]) }
        try await orchestrator.start()
        let boundary = orchestrator.errorBoundary
        let notification = try #require(boundary.notifications.first)
        await orchestrator.shutdown()
        isUp.put(true)
        try await orchestrator.start()
        await boundary.choose(try #require(notification.options.first), for: notification)
        #expect(journal.entries == ["activated"])
        #expect(boundary.count == 1)
        await orchestrator.shutdown()
    }

    @Test("After a shutdown everything is made again; hosts mount again, and what was registered since is there")
    func afterShutdown() async throws {
        let orchestrator = Orchestrator.scripted()
        orchestrator.register(started("client"))
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        var identities: [UInt64] = []
        for run in 1...3 {
            try await orchestrator.start()
            try await host.mount()
            identities.append(try #require(host.context?.identity.id))
            if run == 3 { _ = try orchestrator.makeContext(PlainContext.self) }
            await orchestrator.shutdown()
            #expect(host.context == nil)
            if run == 1 { orchestrator.register(PlainContext.self) { PlainContext($0) } }
        }
        #expect(Set(identities).count == 3)
        let expected = (1...3).flatMap { _ in ["activate client", "deactivate client"] }
        #expect(journal.entries == expected)
    }

    @Test("A mistake of registration is thrown by each start, as often as it is tried")
    func mistakeStays() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(started("one"))
        orchestrator.register(started("two"))
        for _ in 1...2 {
            let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
            #expect(error?.code == .registeredTwice)
        }
        #expect(journal.entries.isEmpty)
    }

    @Test("A limit that is not longer than zero is thrown by the start")
    func invalidLimit() async throws {
        var limits = WaitLimits()
        limits.activation = .zero
        let orchestrator = Orchestrator(limits: limits)
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .invalidLimit)
    }

    @Test("A second start while the application runs says what to do first")
    func whileRunning() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        try await orchestrator.start()
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.message.contains("it is running") == true)
        #expect(error?.recoverySuggestion.contains("await shutdown() first") == true)
    }

    #if Instrumented
    @Test("A start that fails or is cancelled tells the instrumentation of its end; one that could not begin does not")
    func endIsReported() async throws {
        let (recording, isUp) = (RecordingInstrumentation(), Box<Bool>())
        let orchestrator = Orchestrator(instrumentation: recording, limits: .endless)
        var machine = PartMachine()
        machine.onInitialize = { _ in if isUp.value != true { throw SampleError("no disk") } }
        machine.register([0], in: orchestrator)
        await #expect(throws: CapabilityError.self) { try await orchestrator.start() }
        #expect(recording.shutDownCount == 1)
        isUp.put(true)
        try await orchestrator.start()
        #expect(recording.shutDownCount == 1)
        // Each run is an instance of its own, and the one before it has ended.
        #expect(recording.createdCount("Orchestrator") == 2)
        #expect(recording.live("Orchestrator").count == 1)
        await orchestrator.shutdown()
        #expect(recording.shutDownCount == 2)
        #expect(recording.live("P0").isEmpty)
        orchestrator.register(started("one"))
        orchestrator.register(started("two"))
        await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(recording.shutDownCount == 2)
    }
    #endif
}

#if Instrumented
extension RecordingInstrumentation {
    fileprivate var shutDownCount: Int {
        events.count { if case .shutDown = $0 { true } else { false } }
    }
}
#endif
