// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

/// A page whose title is its input.
@Observable
private final class Page: Context {
    typealias Input = String

    @ObservationIgnored let identity: ComponentIdentity
    let title: String

    init(_ scope: borrowing ContextScope, _ title: String) {
        identity = scope.identity
        self.title = title
    }
}

private struct PageView: Presentation {
    let context: Page
    var body: String { context.title }
}

private enum Elsewhere {
    struct PageView: Presentation {
        let context: Page
        var body: String { context.title }
    }
}

@MainActor
@Suite("Presentation host (UI-01, UI-02, UI-09)", .timeLimit(.minutes(10)))
struct PresentationHostTests {
    private let pictures = Journal<String>()

    private func scriptHost(
        _ script: ScriptContext.Script = ScriptContext.Script()
    ) async throws -> PresentationHost<ScriptPresentation> {
        let (orchestrator, pictures) = (Orchestrator.scripted(script), pictures)
        try await orchestrator.start()
        return PresentationHost(ScriptPresentation.self, orchestrator) { pictures.write($0) }
    }

    @Test("Mounting renders once, before the context is notified that it appeared (UI-01)")
    func mount() async throws {
        let pictures = pictures
        var script = ScriptContext.Script()
        script.onAppear = { _ in pictures.write("appeared") }
        let host = try await scriptHost(script)
        #expect(host.context == nil)
        try await host.mount()
        #expect(host.context != nil)
        #expect(pictures.entries == ["value 0", "appeared"])
    }

    @Test("A change of what the body reads is rendered, one of what it does not read is not")
    func rendersObservedChanges() async throws {
        let host = try await scriptHost()
        try await host.mount()
        host.context?.other = 1
        await host.context?.quiet()
        #expect(pictures.entries == ["value 0"])
        host.context?.value = 1
        await pictures.wait(for: "value 1")
        host.context?.value = 2
        await pictures.wait(for: "value 2")
        #expect(pictures.entries == ["value 0", "value 1", "value 2"])
    }

    @Test("However many changes one turn of the main actor makes, they render once (UI-02)", arguments: [1, 2, 1000])
    func coalesces(changes: Int) async throws {
        let host = try await scriptHost()
        try await host.mount()
        for number in 1...changes { host.context?.value = number }
        await pictures.wait(for: "value \(changes)")
        await host.context?.quiet()
        #expect(pictures.entries == ["value 0", "value \(changes)"])
    }

    @Test("A change during rendering is rendered next, not lost")
    func changeDuringRendering() async throws {
        let (orchestrator, pictures) = (Orchestrator.scripted(), pictures)
        try await orchestrator.start()
        let box = Box<ScriptContext>()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { picture in
            pictures.write(picture)
            if picture == "value 1" { box.value?.value = 2 }
        }
        try await host.mount()
        box.put(try #require(host.context))
        host.context?.value = 1
        await pictures.wait(for: "value 2")
        #expect(pictures.entries == ["value 0", "value 1", "value 2"])
    }

    @Test("Nothing is rendered after unmounting, though a change was on its way")
    func noRenderAfterUnmount() async throws {
        let host = try await scriptHost()
        try await host.mount()
        let context = try #require(host.context)
        context.value = 1
        await host.unmount()
        context.value = 2
        await context.quiet()
        #expect(pictures.entries == ["value 0"])
    }

    @Test("After mounting again a change of the presentation before renders nothing")
    func previousPresentation() async throws {
        let host = try await scriptHost()
        try await host.mount()
        let previous = try #require(host.context)
        await host.unmount()
        try await host.mount()
        previous.value = 7
        await previous.quiet()
        #expect(pictures.entries == ["value 0", "value 0"])
        host.context?.value = 8
        await pictures.wait(for: "value 8")
    }

    @Test("What was asked for last is what holds: unmount, mount and unmount again leave nothing mounted")
    func lastRequestHolds() async throws {
        let host = try await scriptHost()
        try await host.mount()
        // Tasks of the main actor begin in this order.
        let first = Task { await host.unmount() }
        let again = Task { try await host.mount() }
        let last = Task { await host.unmount() }
        await first.value
        try await again.value
        await last.value
        #expect(host.context == nil)
    }

    @Test("Mounting what is mounted is an error that names the presentation and leaves it mounted")
    func mountedTwice() async throws {
        let host = try await scriptHost()
        try await host.mount()
        let context = host.context
        let error = try await #require(throws: CompositionError.self) { try await host.mount() }
        #expect(error.code == ErrorCode.wrongPhase)
        #expect(error.message.contains("ScriptPresentation"))
        #expect(host.context === context)
        #expect(pictures.entries == ["value 0"])
    }

    @Test("Unmounting what is not mounted does nothing")
    func unmountedTwice() async throws {
        let host = try await scriptHost()
        await host.unmount()
        try await host.mount()
        await host.unmount()
        await host.unmount()
        #expect(host.context == nil)
    }

    @Test("A context that unmounts its own presentation while it disappears is unmounted, once")
    func unmountedFromWithin() async throws {
        let (box, pictures) = (Box<PresentationHost<ScriptPresentation>>(), pictures)
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            pictures.write("disappears")
            await box.value?.unmount()
            pictures.write("has disappeared")
        }
        let host = try await scriptHost(script)
        box.put(host)
        try await host.mount()
        await host.unmount()
        #expect(host.context == nil)
        #expect(pictures.entries == ["value 0", "disappears", "has disappeared"])
        // What was learnt from within must not outlast it.
        try await host.mount()
        await host.unmount()
        #expect(host.context == nil)
        #expect(pictures.entries.count { $0 == "disappears" } == 2)
    }

    @Test("Mounting from within its own disappearance is an error that says when to mount")
    func mountedFromWithin() async throws {
        let (box, errors) = (Box<PresentationHost<ScriptPresentation>>(), Journal<String>())
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            do { try await box.value?.mount() } catch { errors.write("\(error)") }
        }
        let host = try await scriptHost(script)
        box.put(host)
        try await host.mount()
        await host.unmount()
        #expect(host.context == nil)
        #expect(errors.entries.count == 1)
        #expect(errors.entries.first?.contains("when unmount() has returned") == true)
    }

    @Test("A task that was begun while a context disappeared can unmount what was mounted since")
    func unmountedLater() async throws {
        let (box, gate) = (Box<PresentationHost<ScriptPresentation>>(), Gate())
        let stray = Box<Task<Void, Never>>()
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            guard stray.value == nil else { return }
            stray.put(
                Task {
                    await gate.wait()
                    await box.value?.unmount()
                }
            )
        }
        let host = try await scriptHost(script)
        box.put(host)
        try await host.mount()
        await host.unmount()
        try await host.mount()
        gate.open()
        await stray.value?.value
        #expect(host.context == nil)
    }

    @Test("A mount that fails leaves nothing mounted, and the next one may succeed")
    func failedMount() async throws {
        let attempts = Journal<Int>()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Page.self) { scope, title in
            attempts.write(0)
            if attempts.entries.count == 1 { throw SampleError("not yet") }
            return Page(scope, title)
        }
        try await orchestrator.start()
        let host = PresentationHost(PageView.self, orchestrator) { _ in }
        await #expect(throws: SampleError("not yet")) { try await host.mount("a") }
        #expect(host.context == nil)
        try await host.mount("b")
        #expect(host.context?.title == "b")
    }

    @Test("A host that is dropped without unmounting takes its context with it and renders no more")
    func dropped() async throws {
        let (orchestrator, pictures) = (Orchestrator.scripted(), pictures)
        try await orchestrator.start()
        var host: PresentationHost<ScriptPresentation>? = PresentationHost(ScriptPresentation.self, orchestrator) {
            pictures.write($0)
        }
        try await host?.mount()
        weak let context = host?.context
        context?.value = 1
        host = nil
        #expect(context == nil)
        await orchestrator.quiet()
        #expect(pictures.entries == ["value 0"])
    }

    @Test("The context is made with the input of the mount (UI-01)")
    func input() async throws {
        let (orchestrator, pictures) = (Orchestrator(limits: .endless), pictures)
        orchestrator.register(Page.self) { Page($0, $1) }
        try await orchestrator.start()
        let host = PresentationHost(PageView.self, orchestrator) { pictures.write($0) }
        for title in ["home", "cart"] {
            try await host.mount(title)
            await host.unmount()
        }
        #expect(pictures.entries == ["home", "cart"])
    }

    @Test("Presentations with the same name are different nodes of the graph")
    func names() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Page.self) { Page($0, $1) }
        try await orchestrator.start()
        let (one, other) = (
            PresentationHost(PageView.self, orchestrator) { _ in },
            PresentationHost(Elsewhere.PageView.self, orchestrator) { _ in }
        )
        try await one.mount("a")
        try await other.mount("b")
        let names = orchestrator.graph.nodes.filter { $0.kind == .presentation }.map(\.name)
        #expect(names == ["PageView", "AxiomTests.Elsewhere.PageView"])
    }

    @Test("Hosts that were dropped are swept from the table, however many there were")
    func sweep() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Page.self) { Page($0, $1) }
        try await orchestrator.start()
        for _ in 0..<1000 {
            let host = PresentationHost(PageView.self, orchestrator) { _ in }
            try await host.mount("")
        }
        #expect(orchestrator.mounts.count <= 64)
        #expect(orchestrator.mounts.hosts.isEmpty)
    }
}
