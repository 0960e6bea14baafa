// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Limits of a start and a shutdown", .timeLimit(.minutes(10)))
struct LifecycleLimitTests {
    private let time = ManualTime()
    private let journal = Journal<String>()

    private func orchestrator(
        _ script: ScriptContext.Script = ScriptContext.Script(),
        _ instrumentation: any Instrumentation = Instrumentations(),
        limits: WaitLimits = WaitLimits()
    ) -> Orchestrator {
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time), limits: limits)
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(ScriptContext.self) { try ScriptContext($0, script) }
        return orchestrator
    }

    private func errors(of orchestrator: Orchestrator) -> [LifecycleError] {
        orchestrator.errorBoundary.history.compactMap { $0.error as? LifecycleError }
    }

    @Test(
        "A client that hangs in deactivate() is left behind at its limit: it is named, and the rest is ended (ORC-13)"
    )
    func deactivation() async throws {
        let (orchestrator, journal, gate) = (orchestrator(), journal, Gate())
        let machine = PartMachine()
        machine.register([0], in: orchestrator)
        orchestrator.register(
            LifeClient.Script(deactivate: {
                await gate.wait()
                journal.write(Task.isCancelled ? "cancelled" : "not cancelled")
            })
        )
        try await orchestrator.start()
        let shutdown = Task { await orchestrator.shutdown() }
        await time.waitForSleepers(1)
        #expect(machine.order(of: "terminated").isEmpty)
        time.advance(by: .seconds(5))
        await shutdown.value
        #expect(orchestrator.phase == .stopped)
        #expect(machine.order(of: "terminated") == [0])
        let error = try #require(errors(of: orchestrator).first)
        #expect(errors(of: orchestrator).count == 1 && error.code == .limitExpired)
        #expect(error.message.contains("deactivate of the client LifeClient did not end within 5.0 seconds"))
        #expect(error.recoverySuggestion.contains("WaitLimits.deactivation"))
        gate.open()
        await journal.wait(for: "cancelled")
    }

    #if Instrumented
    @Test("A client that was left behind lives until its call ends, and is seen to live")
    func census() async throws {
        let (recording, gate) = (RecordingInstrumentation(), Gate())
        let orchestrator = orchestrator(instrumentation: recording)
        orchestrator.register(LifeClient.Script(deactivate: { await gate.wait() }))
        try await orchestrator.start()
        let shutdown = Task { await orchestrator.shutdown() }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        await shutdown.value
        #expect(recording.live("LifeClient").count == 1)
        #expect(recording.live("TallyClient").isEmpty)
        gate.open()
        await recording.journal.wait {
            $0.contains { if case .destroyed("LifeClient", _, _) = $0 { true } else { false } }
        }
    }

    private func orchestrator(instrumentation: RecordingInstrumentation) -> Orchestrator {
        orchestrator(ScriptContext.Script(), instrumentation)
    }

    @Test("Each step of a shutdown that exceeds its limit is counted by its component (ORC-13)")
    func counted() async throws {
        let (signals, gate) = (SignalJournal(), Gate())
        let orchestrator = orchestrator(ScriptContext.Script(), signals)
        orchestrator.register(LifeClient.Script(deactivate: { await gate.wait() }))
        try await orchestrator.start()
        let shutdown = Task { await orchestrator.shutdown() }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        await shutdown.value
        #expect(signals.all("axiom_shutdown_overdue_total LifeClient") == [1])
        #expect(signals.all("axiom_shutdown_overdue_total TallyClient").isEmpty)
        gate.open()
    }
    #endif

    @Test("A client that hangs in activate() is left behind at its limit; contexts that ask for it get that error")
    func activation() async throws {
        let (orchestrator, journal, gate) = (orchestrator(), journal, Gate())
        orchestrator.register(
            LifeClient.Script(activate: {
                journal.write("activates")
                await gate.wait()
            })
        )
        let start = Task { try await orchestrator.start() }
        // The client before it has a timer too, until its activation has ended.
        await journal.wait(for: "activates")
        await time.waitForSleepers(1)
        time.advance(by: .seconds(20))
        try await start.value
        #expect(orchestrator.isRunning)
        #expect(errors(of: orchestrator).map(\.code) == [.limitExpired])
        #expect(orchestrator.errorBoundary.history.first?.origin.name == "LifeClient")
        // The others do not miss it.
        _ = try orchestrator.makeContext(ScriptContext.self)
        gate.open()
    }

    @Test("A client whose activate() succeeds after its limit is deactivated: it is missed by all, and must not go on")
    func lateActivation() async throws {
        let (orchestrator, journal, gate) = (orchestrator(), journal, Gate())
        orchestrator.register(
            LifeClient.Script(
                activate: {
                    journal.write("activates")
                    await gate.wait()
                },
                deactivate: { journal.write("deactivated") }
            )
        )
        let start = Task { try await orchestrator.start() }
        await journal.wait(for: "activates")
        await time.waitForSleepers(1)
        time.advance(by: .seconds(20))
        try await start.value
        #expect(journal.entries == ["activates"])
        gate.open()
        await journal.wait(for: "deactivated")
        await orchestrator.shutdown()
        #expect(journal.entries == ["activates", "deactivated"])
    }

    @Test(
        "When the limit of the whole shutdown expires, what it waits for is named and the rest is called all the same (ORC-13)"
    )
    func whole() async throws {
        var limits = WaitLimits()
        limits.shutdown = .seconds(8)
        limits.deactivation = .seconds(5)
        let (orchestrator, journal, gate) = (orchestrator(limits: limits), journal, Gate())
        let machine = PartMachine()
        machine.register([0], in: orchestrator)
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        orchestrator.register(LifeClient.Script(deactivate: { await gate.wait() }))
        orchestrator.register(HangingClient.self) { HangingClient($0, gate) }
        try await orchestrator.start()
        let shutdown = Task { await orchestrator.shutdown() }
        // The last first: 5 s of its own, then the 3 s that are left of the 8.
        for step in [5, 3] {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(step))
        }
        await shutdown.value
        let errors = errors(of: orchestrator)
        #expect(errors.prefix(2).map { $0.origin?.name } == ["HangingClient", "LifeClient"])
        #expect(errors.first?.recoverySuggestion.contains("WaitLimits.deactivation") == true)
        #expect(errors.dropFirst().first?.message.contains("within 3.0 seconds") == true)
        #expect(errors.dropFirst().first?.recoverySuggestion.contains("WaitLimits.shutdown") == true)
        #expect(orchestrator.phase == .stopped)
        await machine.journal.wait(for: "terminated P0")
        await journal.wait(for: "deactivate PingClient")
        gate.open()
    }

    @Test("A context that hangs in onDisappear() is left behind at its limit, and the shutdown goes on")
    func disappearance() async throws {
        let gate = Gate()
        var script = ScriptContext.Script()
        script.onDisappear = { _ in await gate.wait() }
        let orchestrator = orchestrator(script)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let shutdown = Task { await orchestrator.shutdown() }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(5))
        await shutdown.value
        let error = try #require(errors(of: orchestrator).first)
        #expect(errors(of: orchestrator).count == 1)
        #expect(error.message.contains("disappear of the context ScriptContext did not end within 5.0 seconds"))
        #expect(orchestrator.phase == .stopped && host.context == nil)
        gate.open()
    }

    @Test(
        "When the whole shutdown has less time than an onDisappear(), the error of the unmount says what it waits for"
    )
    func unmount() async throws {
        let gate = Gate()
        var (script, limits) = (ScriptContext.Script(), WaitLimits())
        script.onDisappear = { _ in await gate.wait() }
        limits.shutdown = .seconds(3)
        let orchestrator = orchestrator(script, limits: limits)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let shutdown = Task { await orchestrator.shutdown() }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(3))
        await shutdown.value
        let error = try #require(errors(of: orchestrator).first)
        #expect(error.message.contains("unmount of the presentation ScriptPresentation did not end within 3.0 seconds"))
        #expect(error.message.contains("It waited for: disappear of the context ScriptContext."))
        #expect(error.recoverySuggestion.contains("WaitLimits.shutdown"))
        #expect(orchestrator.phase == .stopped)
        gate.open()
    }

    @Test(
        "A context that hangs in onAppear() is left behind at its limit: the mount returns, and its boundary says why"
    )
    func appearance() async throws {
        let gate = Gate()
        var script = ScriptContext.Script()
        script.onAppear = { _ in await gate.wait() }
        let orchestrator = orchestrator(script)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        let mount = Task { try await host.mount() }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(20))
        try await mount.value
        let error = try #require(host.context?.errorBoundary.current?.error as? LifecycleError)
        #expect(error.message.contains("appear of the context ScriptContext did not end within 20.0 seconds"))
        gate.open()
    }

    private actor HangingClient: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        private let gate: Gate

        init(_ scope: borrowing ClientScope, _ gate: Gate) {
            identity = scope.identity
            self.gate = gate
        }

        func process(_ action: NoAction) async throws {}
        func deactivate() async { await gate.wait() }
    }
}
