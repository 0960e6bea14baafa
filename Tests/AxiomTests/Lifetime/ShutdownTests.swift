// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Observation
import Testing

@testable import Axiom

/// Writes its end into a journal.
private actor Disk: Capability {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>

    init(_ scope: borrowing CapabilityScope, _ journal: Journal<String>) {
        identity = scope.identity
        self.journal = journal
    }

    func terminate() async { journal.write("terminate Disk") }
}

private actor Files: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let name: String
    private let disk: CapabilityRef<Disk>
    private let journal: Journal<String>

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) throws {
        identity = scope.identity
        name = scope.identity.descriptor.name
        disk = try scope.capability(Disk.self)
        self.journal = journal
    }

    func process(_ action: NoAction) async throws {}

    func deactivate() async {
        // Its capability still works.
        journal.write((try? disk.current()) == nil ? "disk lost" : "deactivate \(name)")
    }
}

@MainActor
@Suite("Shutdown", .timeLimit(.minutes(10)))
struct ShutdownTests {
    private let journal = Journal<String>()
    /// Stands still: no limit expires.
    private let clock = TimeSource.manual(ManualTime())

    private func start(
        _ script: ScriptContext.Script = ScriptContext.Script(),
        instrumentation: any Instrumentation = Instrumentations()
    ) async throws -> Orchestrator {
        let journal = journal
        let orchestrator = Orchestrator.scripted(script, instrumentation: instrumentation, clock: clock)
        orchestrator.register(Disk.self) { Disk($0, journal) }
        orchestrator.register(Files.self) { try Files($0, journal) }
        try await orchestrator.start()
        return orchestrator
    }

    private func host(_ orchestrator: Orchestrator) -> PresentationHost<ScriptPresentation> {
        PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
    }

    private var script: ScriptContext.Script {
        let journal = journal
        var script = ScriptContext.Script()
        script.onDisappear = { _ in journal.write("disappear") }
        return script
    }

    @Test("Presentations are unmounted, then clients deactivated, then capabilities terminated")
    func order() async throws {
        let orchestrator = try await start(script)
        let hosts = [host(orchestrator), host(orchestrator)]
        for host in hosts { try await host.mount() }
        await orchestrator.shutdown()
        #expect(journal.entries == ["disappear", "disappear", "deactivate Files", "terminate Disk"])
        #expect(hosts.allSatisfy { $0.context == nil })
    }

    #if Instrumented
    @Test("Views end before contexts, contexts before clients, clients before capabilities")
    func destructionOrder() async throws {
        let instrumentation = RecordingInstrumentation()
        let orchestrator = try await start(instrumentation: instrumentation)
        let host = host(orchestrator)
        try await host.mount()
        await orchestrator.shutdown()
        let ends = instrumentation.events.compactMap { event -> String? in
            switch event {
            case .destroyed(let name, _, _): name
            case .shutDown: "shut down"
            default: nil
            }
        }
        #expect(
            ends == ["ScriptPresentation", "ScriptContext", "Files", "TallyClient", "Disk", "shut down"]
        )
    }

    @Test("An observer sees which components outlive the shutdown")
    func survivors() async throws {
        let instrumentation = RecordingInstrumentation()
        let orchestrator = try await start(instrumentation: instrumentation)
        let leaked = try orchestrator.makeContext(ScriptContext.self)
        await orchestrator.shutdown()
        #expect(instrumentation.live("ScriptContext") == [leaked.identity.id])
        // The context holds its client.
        #expect(instrumentation.live("TallyClient").count == 1)
        #expect(instrumentation.live("Files").isEmpty)
        #expect(instrumentation.live("Disk").isEmpty)
    }
    #endif

    @Test("An unmounting under way is waited for before clients are deactivated")
    func waitsForUnmounting() async throws {
        try await withInterleavings(20) { try await Self().waitForUnmounting($0) }
    }

    private func waitForUnmounting(_ run: Interleaving) async throws {
        let (journal, begun, gate) = (journal, Gate(), Gate())
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            begun.open()
            await gate.wait()
            journal.write("disappear")
        }
        let orchestrator = try await start(script)
        let host = host(orchestrator)
        try await host.mount()
        async let unmount: Void = host.unmount()
        await begun.wait()
        async let shutdown: Void = orchestrator.shutdown()
        await run.quiet()
        #expect(journal.entries.isEmpty)
        gate.open()
        _ = await (shutdown, unmount)
        #expect(journal.entries == ["disappear", "deactivate Files", "terminate Disk"])
    }

    @Test("Concurrent calls of shutdown wait for one shutdown")
    func concurrent() async throws {
        let orchestrator = try await start(script)
        try await host(orchestrator).mount()
        let journal = journal
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    await orchestrator.shutdown()
                    #expect(journal.entries.last == "terminate Disk")
                }
            }
        }
        #expect(journal.entries.count { $0 == "terminate Disk" } == 1)
    }

    @Test("Nothing can be mounted during or after a shutdown")
    func noMount() async throws {
        let refused = Box<Bool>()
        var script = ScriptContext.Script()
        let other = Box<PresentationHost<ScriptPresentation>>()
        script.onDisappear = { _ in
            do {
                try await other.value?.mount()
                refused.put(false)
            } catch is CompositionError {
                refused.put(true)
            }
        }
        let orchestrator = try await start(script)
        let host = host(orchestrator)
        other.put(self.host(orchestrator))
        try await host.mount()
        await orchestrator.shutdown()
        #expect(refused.all == [true])
        await #expect(throws: CompositionError.self) { try await host.mount() }
    }

    @Test("A shutdown before the start does nothing, and leaves the start to come")
    func neverStarted() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        await orchestrator.shutdown()
        try await orchestrator.start()
        #expect(orchestrator.isRunning)
    }
}
