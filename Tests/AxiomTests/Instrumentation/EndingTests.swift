// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomResilience
import Testing

@testable import Axiom

/// Keeps how instances ended, and who was given which client.
private final class Endings: Instrumentation {
    let journal = Journal<String>()
    let modules = Journal<String>()

    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        journal.write("\(instance.component.name) \(instance.ending)")
    }

    func registered(_ component: ComponentDescriptor, module: String) {
        modules.write("\(module).\(component.name)")
    }
}

private actor Dud: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let error: (any Error)?

    init(_ scope: borrowing ClientScope, _ error: (any Error)?) {
        identity = scope.identity
        self.error = error
    }

    func activate() async throws { if let error { throw error } }
    func process(_ action: NoAction) async throws {}
}

private actor Fuse: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func initialize() async throws { throw SampleError("blown") }
}

@MainActor
@Suite("How components end", .timeLimit(.minutes(10)))
struct EndingTests {
    private let endings = Endings()

    private func life(_ script: ScriptContext.Script) async throws -> [String] {
        let orchestrator = Orchestrator.scripted(script, instrumentation: endings)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        await host.unmount()
        await endings.journal.wait { $0.contains { $0.hasPrefix("ScriptContext") } }
        return endings.journal.entries.filter { $0.hasPrefix("ScriptContext") }
    }

    @Test("A context that appeared and disappeared has finished, also when its disappearance threw")
    func finished() async throws {
        var script = ScriptContext.Script()
        script.onDisappear = { _ in throw SampleError("too late to matter") }
        #expect(try await life(script) == ["ScriptContext finished"])
    }

    @Test("A context whose appearance ended in an error has failed")
    func failed() async throws {
        var script = ScriptContext.Script()
        script.onAppear = { _ in throw SampleError("no") }
        #expect(try await life(script) == ["ScriptContext failed"])
    }

    @Test("A context that disappears before it has appeared is cancelled")
    func cancelled() async throws {
        let gate = Gate()
        let begun = Gate()
        var script = ScriptContext.Script()
        script.onAppear = { _ in
            begun.open()
            await gate.wait()
        }
        let orchestrator = Orchestrator.scripted(script, instrumentation: endings)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        let mounting = Task { try await host.mount() }
        await begun.wait()
        await host.unmount()
        gate.open()
        try await mounting.value
        await endings.journal.wait(for: "ScriptContext cancelled")
    }

    @Test(
        "A context that was covered while it appeared has finished if it appeared later, and else is cancelled (CTX-08)"
    )
    func covered() async throws {
        for (isUncovered, ending) in [(true, "finished"), (false, "cancelled")] {
            let (begun, gate) = (Gate(), Gate())
            var script = ScriptContext.Script()
            script.onAppear = { _ in
                begun.open()
                await gate.wait()
                try Task.checkCancellation()
            }
            let orchestrator = Orchestrator.scripted(script, instrumentation: endings)
            try await orchestrator.start()
            let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
            let mounting = Task { try await host.mount() }
            await begun.wait()
            await host.cover()
            gate.open()
            try await mounting.value
            if isUncovered { await host.uncover() }
            await host.unmount()
            await endings.journal.wait(for: "ScriptContext \(ending)")
        }
    }

    @Test("A client that is not activated has failed, or was cancelled if its activation was cancelled")
    func clients() async throws {
        for (error, ending) in [(SampleError("no") as any Error, "failed"), (Cancellation.onPurpose, "cancelled")] {
            let orchestrator = Orchestrator(instrumentation: endings, limits: .endless)
            orchestrator.register(Dud.self) { Dud($0, error) }
            try await orchestrator.start()
            await endings.journal.wait(for: "Dud \(ending)")
            await orchestrator.shutdown()
        }
    }

    @Test("A capability that is not initialised has failed")
    func capabilities() async throws {
        let orchestrator = Orchestrator(instrumentation: endings, limits: .endless)
        orchestrator.register(Fuse.self, requirement: .optional) { Fuse($0) }
        try await orchestrator.start()
        await endings.journal.wait(for: "Fuse failed")
    }

    @Test("The module of every type is reported, also of presentations")
    func modules() async throws {
        _ = try await life(ScriptContext.Script())
        let reported = Set(endings.modules.entries)
        #expect(reported.isSuperset(of: ["Axiom.Orchestrator", "AxiomTests.TallyClient", "AxiomTests.ScriptContext"]))
        #expect(reported.contains("AxiomTests.ScriptPresentation"))
    }
}
#endif
