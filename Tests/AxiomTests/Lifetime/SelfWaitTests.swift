// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

/// Keeps a client, so that its life can ask it.
@Observable
private final class Asker: Context {
    typealias Input = LifeAction

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let client: any StatelessClient<LifeAction>
    @ObservationIgnored private let action: LifeAction

    init(_ scope: borrowing ContextScope, _ action: LifeAction) throws {
        identity = scope.identity
        client = try scope.client(LifeClient.self)
        self.action = action
    }

    func onDisappear() async throws { try await client.process(action) }
}

private struct AskerView: Presentation {
    let context: Asker
    var body: String { "" }
}

/// Each of these waited for itself for ever.
@MainActor
@Suite("Waits for oneself", .timeLimit(.minutes(10)))
struct SelfWaitTests {
    private let journal = Journal<String>()
    /// Stands still: no limit expires.
    private let clock = TimeSource.manual(ManualTime())

    private func host(_ orchestrator: Orchestrator) -> PresentationHost<ScriptPresentation> {
        PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
    }

    @Test(
        "onDisappear() that awaits the shutdown that called it gets an answer at once, and the shutdown goes on (CLI-12)"
    )
    func disappearance() async throws {
        let (box, journal) = (Box<Orchestrator>(), journal)
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            await box.value?.shutdown()
            journal.write(box.value?.phase == .stopping ? "goes on" : "is over")
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        box.put(orchestrator)
        try await orchestrator.start()
        let host = host(orchestrator)
        try await host.mount()
        await orchestrator.shutdown()
        #expect(journal.entries == ["goes on"])
        #expect(orchestrator.phase == .stopped && host.context == nil)
    }

    @Test("onDisappear() of an unmount that awaits a shutdown gets it; the shutdown does not wait for that unmount")
    func shutdownFromUnmount() async throws {
        let (box, journal) = (Box<Orchestrator>(), journal)
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            await box.value?.shutdown()
            journal.write(box.value?.phase == .stopped ? "stopped" : "running")
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        box.put(orchestrator)
        try await orchestrator.start()
        let host = host(orchestrator)
        try await host.mount()
        await host.unmount()
        #expect(journal.entries == ["stopped"])
    }

    @Test("deactivate() that awaits the shutdown that called it gets an answer at once (CLI-12)")
    func deactivation() async throws {
        let (orchestrator, journal) = (Orchestrator(clock: clock), journal)
        orchestrator.register(
            LifeClient.Script(deactivate: { [unowned orchestrator] in
                await orchestrator.shutdown()
                journal.write("deactivated")
            })
        )
        try await orchestrator.start()
        await orchestrator.shutdown()
        #expect(journal.entries == ["deactivated"])
        #expect(orchestrator.phase == .stopped)
    }

    @Test("activate() that awaits a shutdown calls the start off, which ends everything and throws CancellationError")
    func activation() async throws {
        let (orchestrator, journal) = (Orchestrator(clock: clock), journal)
        orchestrator.register(
            LifeClient.Script(
                activate: { [unowned orchestrator] in
                    await orchestrator.shutdown()
                    journal.write("activated")
                },
                deactivate: { journal.write("deactivated") }
            )
        )
        await #expect(throws: CancellationError.self) { try await orchestrator.start() }
        #expect(journal.entries == ["activated", "deactivated"])
        #expect(orchestrator.phase == .stopped && orchestrator.errorBoundary.history.isEmpty)
    }

    @Test("A recovery strategy that awaits a shutdown during the start calls the start off (CLI-12)")
    func recovery() async throws {
        let (orchestrator, journal) = (Orchestrator(clock: clock), journal)
        orchestrator.register(LifeClient.Script(activate: { throw SampleError("no server") }))
        orchestrator.recover { [unowned orchestrator] _ in
            RecoveryStrategy("give_up") { _ in
                await orchestrator.shutdown()
                journal.write("gave up")
            }
        }
        await #expect(throws: CancellationError.self) { try await orchestrator.start() }
        #expect(journal.entries == ["gave up"])
        #expect(orchestrator.phase == .stopped)
    }

    @Test("Two hosts whose contexts unmount each other from two tasks are both unmounted, once (CLI-12)")
    func mutualUnmount() async throws {
        let (first, second) = (Box<PresentationHost<ScriptPresentation>>(), Box<PresentationHost<ScriptPresentation>>())
        let (journal, bothBegan) = (journal, Journal<Int>())
        var script = ScriptContext.Script()
        script.onDisappear = { context in
            bothBegan.write(0)
            await bothBegan.wait { $0.count >= 2 }
            await (context === first.value?.context ? second : first).value?.unmount()
            journal.write("disappeared")
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        try await orchestrator.start()
        let hosts = [host(orchestrator), host(orchestrator)]
        first.put(hosts[0])
        second.put(hosts[1])
        for host in hosts { try await host.mount() }
        let tasks = hosts.map { host in Task { await host.unmount() } }
        for task in tasks { await task.value }
        #expect(journal.entries == ["disappeared", "disappeared"])
        #expect(hosts.allSatisfy { $0.context == nil })
        for host in hosts { try await host.mount() }
        #expect(hosts.allSatisfy { $0.context != nil })
    }

    @Test("A mount that would wait for the unmounting that waits for it throws the path from host to host (CLI-12)")
    func mutualMount() async throws {
        let (first, second) = (Box<PresentationHost<ScriptPresentation>>(), Box<PresentationHost<AskerView>>())
        let (errors, bothBegan, waits) = (Journal<String>(), Journal<Int>(), Gate())
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            bothBegan.write(0)
            await bothBegan.wait { $0.count >= 2 }
            // The client goes on when this has given the main actor back: when the unmount has its turn.
            waits.open()
            await second.value?.unmount()
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        orchestrator.register(LifeClient.Script())
        orchestrator.register(Asker.self) { try Asker($0, $1) }
        try await orchestrator.start()
        first.put(host(orchestrator))
        second.put(PresentationHost(AskerView.self, orchestrator) { _ in })
        try await first.value?.mount()
        try await second.value?.mount(
            LifeAction {
                bothBegan.write(0)
                await waits.wait()
                do { try await first.value?.mount() } catch { errors.write("\(error)") }
            }
        )
        let unmount = Task { await first.value?.unmount() }
        await second.value?.unmount()
        await unmount.value
        let error = try #require(errors.entries.first)
        #expect(error.contains(ErrorCode.waitsForItself.rawValue))
        let start = "disappear of the context Asker → mount of the presentation ScriptPresentation → "
        #expect(error.contains(start + "unmount of the presentation ScriptPresentation → "))
    }

    @Test(
        "A client that awaits the shutdown for an onDisappear() of that shutdown is seen through the client call (CLI-12)"
    )
    func throughClient() async throws {
        let (orchestrator, journal) = (Orchestrator(clock: clock), journal)
        orchestrator.register(LifeClient.Script())
        orchestrator.register(Asker.self) { try Asker($0, $1) }
        try await orchestrator.start()
        let host = PresentationHost(AskerView.self, orchestrator) { _ in }
        try await host.mount(
            LifeAction { [unowned orchestrator] in
                await orchestrator.shutdown()
                journal.write("asked")
            }
        )
        await orchestrator.shutdown()
        #expect(journal.entries == ["asked"])
    }

    @Test("A detached task that onDisappear() begins waits for the shutdown to its end")
    func detached() async throws {
        let (box, journal, gate) = (Box<Orchestrator>(), journal, Gate())
        var script = ScriptContext.Script()
        script.onDisappear = { _ in
            Task.detached {
                gate.open()
                await box.value?.shutdown()
                journal.write(await box.value?.phase == .stopped ? "after" : "before")
            }
            await gate.wait()
        }
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        box.put(orchestrator)
        try await orchestrator.start()
        let host = host(orchestrator)
        try await host.mount()
        await orchestrator.shutdown()
        await journal.wait(for: "after")
    }
}
