// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Observation
import Testing

@testable import Axiom

@MainActor
@Suite("Contexts that are covered and come back", .timeLimit(.minutes(10)))
struct CoveredContextTests {
    private let journal = Journal<String>()
    private let begun = Gate()
    private let gate = Gate()
    /// Stands still: no limit expires.
    private let clock = TimeSource.manual(ManualTime())

    /// A script that records each notification.
    private func script() -> ScriptContext.Script {
        let journal = journal
        var script = ScriptContext.Script()
        script.onAppear = { _ in journal.write("appear") }
        script.onBackground = { _ in journal.write("background") }
        script.onForeground = { _ in journal.write("foreground") }
        script.onDisappear = { _ in journal.write("disappear") }
        return script
    }

    private func host(
        _ script: ScriptContext.Script,
        renders: Bool = false
    ) async throws -> (Orchestrator, PresentationHost<ScriptPresentation>) {
        let (orchestrator, journal) = (Orchestrator.scripted(script, clock: clock), journal)
        try await orchestrator.start()
        return (
            orchestrator, PresentationHost(ScriptPresentation.self, orchestrator) { if renders { journal.write($0) } }
        )
    }

    @Test("A covered context disappears, appears again when it is uncovered, and disappears once at the end (CTX-08)")
    func coverAndUncover() async throws {
        let (orchestrator, host) = try await host(script())
        try await host.mount()
        let context = host.context
        for _ in 0..<2 {
            await host.cover()
            await host.cover()
            #expect(orchestrator.inspect().contexts.map(\.phase) == ["covered"])
            #expect(orchestrator.inspect().debugDescription.contains("in ScriptPresentation: covered, 0 operations"))
            await host.uncover()
            await host.uncover()
            #expect(orchestrator.inspect().contexts.map(\.phase) == ["visible"])
        }
        await host.unmount()
        #expect(journal.entries == ["appear", "disappear", "appear", "disappear", "appear", "disappear"])
        #expect(context?.errorBoundary.count == 0)
    }

    @Test("A covered context that is unmounted is not notified again (CTX-08)")
    func unmountedWhileCovered() async throws {
        let (_, host) = try await host(script())
        try await host.mount()
        let context = WeakReference(try #require(host.context))
        await host.cover()
        await host.unmount()
        await host.uncover()
        #expect(journal.entries == ["appear", "disappear"])
        #expect(host.context == nil && context.object == nil)
    }

    @Test("Nothing is rendered while covered, and uncovering renders once (CTX-08)")
    func rendering() async throws {
        let (_, host) = try await host(script(), renders: true)
        try await host.mount()
        host.context?.value = 1
        await host.cover()
        host.context?.value = 2
        await host.context?.quiet()
        #expect(journal.entries == ["value 0", "appear", "disappear"])
        await host.uncover()
        await host.context?.quiet()
        #expect(journal.entries == ["value 0", "appear", "disappear", "value 2", "appear"])
        host.context?.value = 3
        await journal.wait(for: "value 3")
    }

    @Test("Covering cancels the actions under way; later actions are handled (CTX-08)")
    func actions() async throws {
        let (_, host) = try await host(script())
        try await host.mount()
        let context = try #require(host.context)
        let (journal, begun) = (journal, begun)
        let action = Task {
            await context.send(
                ScriptAction { _ in
                    begun.open()
                    try await Task.sleep(for: .seconds(3_600))
                }
            )
        }
        await begun.wait()
        await host.cover()
        await action.value
        await context.send(ScriptAction { _ in journal.write("handled") })
        #expect(journal.entries == ["appear", "disappear", "handled"])
        #expect(context.errorBoundary.count == 0)
    }

    @Test("A covered context learns the phase of the application when it is uncovered (CTX-08)")
    func phases() async throws {
        let (orchestrator, host) = try await host(script())
        try await host.mount()
        await host.cover()
        await orchestrator.enterBackground()
        #expect(journal.entries == ["appear", "disappear"])
        await host.uncover()
        #expect(journal.entries.suffix(2) == ["appear", "background"])
        await host.cover()
        await orchestrator.enterForeground()
        #expect(journal.entries.last == "disappear")
        await host.uncover()
        #expect(journal.entries.suffix(2) == ["appear", "foreground"])
    }

    @Test("A context that is covered while it appears disappears, and appears again after that call has ended (CTX-08)")
    func coveredWhileAppearing() async throws {
        try await withInterleavings(20) { try await Self().coverWhileAppearing($0) }
    }

    private func coverWhileAppearing(_ run: Interleaving) async throws {
        let (journal, begun, gate) = (journal, begun, gate)
        var script = script()
        script.onAppear = { _ in
            journal.write("appear")
            begun.open()
            await gate.wait()
            journal.write(Task.isCancelled ? "cancelled" : "appeared")
        }
        let (_, host) = try await host(script)
        async let mount: Void = host.mount()
        await begun.wait()
        await host.cover()
        #expect(journal.entries == ["appear", "disappear"])
        async let uncover: Void = host.uncover()
        await run.quiet()
        #expect(journal.entries == ["appear", "disappear"], "the first call is still under way")
        gate.open()
        await uncover
        try await mount
        #expect(journal.entries == ["appear", "disappear", "cancelled", "appear", "appeared"])
        #expect(host.context?.runtime.life == .visible)
    }

    @Test("A context that is uncovered while it disappears appears when that call has ended (CTX-08)")
    func uncoveredWhileCovering() async throws {
        try await withInterleavings(20) { try await Self().uncoverWhileCovering($0) }
    }

    private func uncoverWhileCovering(_ run: Interleaving) async throws {
        let (journal, begun, gate) = (journal, begun, gate)
        var script = script()
        script.onDisappear = { _ in
            begun.open()
            await gate.wait()
            journal.write("disappeared")
        }
        let (orchestrator, host) = try await host(script)
        try await host.mount()
        async let cover: Void = host.cover()
        await begun.wait()
        #expect(orchestrator.inspect().contexts.map(\.phase) == ["covering"])
        async let uncover: Void = host.uncover()
        await run.quiet()
        #expect(journal.entries == ["appear"])
        gate.open()
        _ = await (cover, uncover)
        #expect(journal.entries == ["appear", "disappeared", "appear"])
    }

    @Test("Errors of a context that is covered and uncovered end at its boundary (CTX-08)")
    func errors() async throws {
        var script = script()
        script.onAppear = { context in
            context.value += 1
            if context.value == 2 { throw SampleError("appear") }
        }
        script.onDisappear = { _ in throw SampleError("disappear") }
        let (_, host) = try await host(script)
        try await host.mount()
        await host.cover()
        await host.uncover()
        let errors = host.context?.errorBoundary.history.map { "\($0.error)" }
        #expect(errors == ["disappear", "appear"])
        #expect(host.context?.runtime.life == .visible)
    }
}
