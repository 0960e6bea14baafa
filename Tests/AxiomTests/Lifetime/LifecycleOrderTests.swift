// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

/// A node of a tree of contexts that records its notifications.
@Observable
private final class Twig: Context {
    typealias Input = Plan

    struct Plan: Sendable {
        let name: String
        var children: [Plan] = []
    }

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let name: String
    @ObservationIgnored private let journal: Journal<String>
    @ObservationIgnored private let gate: Gate?

    init(_ scope: borrowing ContextScope, _ plan: Plan, _ journal: Journal<String>, gate: Gate?) throws {
        identity = scope.identity
        name = plan.name
        self.journal = journal
        self.gate = gate
        for child in plan.children { _ = try scope.context(Twig.self, child) }
    }

    func onAppear() async throws {
        journal.write("appear \(name)")
        if name == "a" { await gate?.wait() }
    }

    func onDisappear() async throws { journal.write("disappear \(name)") }

    func onBackground() async throws {
        journal.write("background \(name)")
        guard name == "slow" else { return }
        await gate?.wait()
        journal.write("ended slow")
    }

    func onForeground() async throws {
        journal.write("foreground \(name)")
        guard name == "late" else { return }
        await gate?.wait()
        journal.write("ended late")
    }
}

private struct TwigPresentation: Presentation {
    let context: Twig
    var body: Int { 0 }
}

@MainActor
@Suite("The order of the life cycle", .timeLimit(.minutes(10)))
struct LifecycleOrderTests {
    private let journal = Journal<String>()
    private let tree = Twig.Plan(
        name: "root",
        children: [
            Twig.Plan(name: "a", children: [Twig.Plan(name: "a1"), Twig.Plan(name: "a2")]),
            Twig.Plan(name: "b", children: [Twig.Plan(name: "b1")]),
        ]
    )

    private func start(gate: Gate? = nil) async throws -> Orchestrator {
        let journal = journal
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Twig.self, recursive: true) { try Twig($0, $1, journal, gate: gate) }
        try await orchestrator.start()
        return orchestrator
    }

    private func order(of phase: String) -> [String] {
        journal.entries.filter { $0.hasPrefix(phase + " ") }.map { String($0.dropFirst(phase.count + 1)) }
    }

    @Test("Contexts appear upstream first and disappear downstream first, the exact reverse (CTX-09)")
    func appearAndDisappear() async throws {
        let orchestrator = try await start()
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        try await host.mount(tree)
        #expect(order(of: "appear") == ["root", "a", "a1", "a2", "b", "b1"])
        await host.unmount()
        #expect(order(of: "disappear") == order(of: "appear").reversed())
    }

    @Test("Contexts are covered downstream first and uncovered upstream first (CTX-08)")
    func coverAndUncover() async throws {
        let orchestrator = try await start()
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        try await host.mount(tree)
        let appeared = journal.entries
        await host.cover()
        #expect(order(of: "disappear") == order(of: "appear").reversed())
        let covered = journal.entries
        await host.uncover()
        #expect(journal.entries == covered + appeared)
        await host.cover()
        await host.unmount()
        #expect(journal.entries == covered + covered)
    }

    @Test("Contexts go to the background downstream first and come back upstream first")
    func background() async throws {
        let orchestrator = try await start()
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        try await host.mount(tree)
        await orchestrator.enterBackground()
        await orchestrator.enterForeground()
        #expect(order(of: "background") == ["b1", "b", "a2", "a1", "a", "root"])
        #expect(order(of: "foreground") == ["root", "a", "a1", "a2", "b", "b1"])
    }

    @Test("Several presentations go to the background last mounted first, and come back in the order of mounting")
    func severalPresentations() async throws {
        let orchestrator = try await start()
        let hosts = (0..<20).map { _ in PresentationHost(TwigPresentation.self, orchestrator) { _ in } }
        for (index, host) in hosts.enumerated() { try await host.mount(Twig.Plan(name: "\(index)")) }
        await hosts[7].unmount()
        let names = (0..<20).filter { $0 != 7 }.map(String.init)
        await orchestrator.enterBackground()
        await orchestrator.enterForeground()
        #expect(order(of: "background") == names.reversed())
        #expect(order(of: "foreground") == names)
        await orchestrator.shutdown()
        #expect(order(of: "disappear") == ["7"] + names.reversed())
    }

    @Test(
        "A presentation that takes its time to go to the background, or to come back, delays no other and is awaited",
        arguments: ["background", "foreground"]
    )
    func slowPresentation(phase: String) async throws {
        let gate = Gate()
        let orchestrator = try await start(gate: gate)
        let hosts = (0..<3).map { _ in PresentationHost(TwigPresentation.self, orchestrator) { _ in } }
        let slow = phase == "background" ? "slow" : "late"
        let names = ["first", slow, "last"]
        for (host, name) in zip(hosts, names) { try await host.mount(Twig.Plan(name: name)) }
        if phase == "foreground" { await orchestrator.enterBackground() }
        let notification = Task {
            await phase == "background" ? orchestrator.enterBackground() : orchestrator.enterForeground()
            journal.write("all notified")
        }
        await journal.wait(for: "\(phase) \(phase == "background" ? "first" : "last")")
        #expect(order(of: phase) == (phase == "background" ? names.reversed() : names))
        #expect(!journal.entries.contains("all notified"))
        gate.open()
        await notification.value
        #expect(journal.entries.suffix(2) == ["ended \(slow)", "all notified"])
    }

    @Test(
        "A context that disappears during a notification of its presentation gets no further notification",
        arguments: ["background", "foreground"]
    )
    func unmountedDuringNotification(phase: String) async throws {
        let gate = Gate()
        let orchestrator = try await start(gate: gate)
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        let slow = phase == "background" ? "slow" : "late"
        let plan = phase == "background" ? ["root", slow] : [slow, "leaf"]
        try await host.mount(Twig.Plan(name: plan[0], children: [Twig.Plan(name: plan[1])]))
        // Retained: a released context cannot be notified.
        let root = try #require(host.context)
        if phase == "foreground" { await orchestrator.enterBackground() }
        let notification = Task {
            await phase == "background" ? orchestrator.enterBackground() : orchestrator.enterForeground()
        }
        await journal.wait(for: "\(phase) \(slow)")
        await host.unmount()
        gate.open()
        await notification.value
        #expect(order(of: phase) == [slow])
        #expect(order(of: "disappear") == plan.reversed())
        withExtendedLifetime(root) {}
    }

    @Test("When a presentation is unmounted while it appears, nothing appears after it disappeared")
    func unmountedWhileAppearing() async throws {
        let gate = Gate()
        let orchestrator = try await start(gate: gate)
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        let mount = Task { try await host.mount(tree) }
        await journal.wait(for: "appear a")
        await host.unmount()
        gate.open()
        try await mount.value
        #expect(order(of: "appear") == ["root", "a"])
        #expect(order(of: "disappear") == ["a", "root"])
    }

    @Test("Concurrent calls of unmount wait for one unmount")
    func unmountedTwice() async throws {
        let orchestrator = try await start()
        let host = PresentationHost(TwigPresentation.self, orchestrator) { _ in }
        try await host.mount(tree)
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    await host.unmount()
                    #expect(self.journal.entries.contains("disappear root"))
                }
            }
        }
        #expect(order(of: "disappear").count == 6)
    }

    @Test("An unmount is completed even if the calling task is cancelled")
    func cancelledUnmount() async throws {
        let cancelled = Box<Bool>()
        var script = ScriptContext.Script()
        script.onDisappear = { _ in cancelled.put(Task.isCancelled) }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await host.unmount()
        }
        await task.value
        #expect(cancelled.all == [false])
    }
}
