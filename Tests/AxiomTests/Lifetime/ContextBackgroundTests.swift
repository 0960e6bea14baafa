// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@MainActor
@Suite("Contexts in the background", .timeLimit(.minutes(10)))
struct ContextBackgroundTests {
    private let journal = Journal<String>()
    private let begun = Gate()
    private let gate = Gate()

    private func script(slow: Bool = false) -> ScriptContext.Script {
        let (journal, begun, gate) = (journal, begun, gate)
        var script = ScriptContext.Script()
        script.onAppear = { _ in
            journal.write("appear")
            begun.open()
            if slow { await gate.wait() }
            journal.write("appeared")
        }
        script.onBackground = { _ in journal.write("background") }
        script.onForeground = { _ in journal.write("foreground") }
        script.onDisappear = { _ in journal.write("disappear") }
        return script
    }

    private func start(slow: Bool = false) async throws -> (Orchestrator, PresentationHost<ScriptPresentation>) {
        let orchestrator = Orchestrator.scripted(script(slow: slow))
        try await orchestrator.start()
        return (orchestrator, PresentationHost(ScriptPresentation.self, orchestrator) { _ in })
    }

    @Test("A context that appears while the application goes to the background is notified afterwards (CTX-09)")
    func duringAppearance() async throws {
        let (orchestrator, host) = try await start(slow: true)
        let mount = Task { try await host.mount() }
        await begun.wait()
        await orchestrator.enterBackground()
        #expect(journal.entries == ["appear"])
        gate.open()
        try await mount.value
        #expect(journal.entries == ["appear", "appeared", "background"])
    }

    @Test("A context that appears while the application goes and comes back hears of neither")
    func thereAndBack() async throws {
        let (orchestrator, host) = try await start(slow: true)
        let mount = Task { try await host.mount() }
        await begun.wait()
        await orchestrator.enterBackground()
        await orchestrator.enterForeground()
        gate.open()
        try await mount.value
        #expect(journal.entries == ["appear", "appeared"])
    }

    @Test("What is mounted in the background hears of it, and of the return of the application")
    func mountedInBackground() async throws {
        let (orchestrator, host) = try await start()
        await orchestrator.enterBackground()
        try await host.mount()
        #expect(journal.entries == ["appear", "appeared", "background"])
        await orchestrator.enterForeground()
        #expect(journal.entries.last == "foreground")
    }

    @Test("Going to the background twice tells a context once, and so does coming back twice")
    func twice() async throws {
        let (orchestrator, host) = try await start()
        try await host.mount()
        await orchestrator.enterForeground()
        for _ in 0..<2 { await orchestrator.enterBackground() }
        for _ in 0..<2 { await orchestrator.enterForeground() }
        #expect(journal.entries == ["appear", "appeared", "background", "foreground"])
    }

    @Test("A context that disappears while it appears is not notified of the background")
    func disappearedWhileAppearing() async throws {
        let (orchestrator, host) = try await start(slow: true)
        let mount = Task { try await host.mount() }
        await begun.wait()
        await orchestrator.enterBackground()
        await host.unmount()
        gate.open()
        try await mount.value
        #expect(journal.entries == ["appear", "disappear", "appeared"])
    }
}
