// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("What a context hears of its visibility: the machine", .timeLimit(.minutes(10)))
struct ContextVisibilityMachineTests {
    private enum Event: CaseIterable {
        case appear, appeared, background, foreground, disappear, disappeared
    }

    /// What a context heard, written down call by call.
    private struct Heard {
        var calls: [String] = []

        func contains(_ call: String) -> Bool { calls.contains(call) }
        func count(_ call: String) -> Int { calls.count { $0 == call } }
    }

    @Test("In every history of events a context hears each call in its order, and none twice", arguments: 0..<200)
    func histories(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = ContextVisibility()
        var heard = Heard()
        var isInBackground = false
        for _ in 0..<60 {
            let event = Event.allCases.randomElement(using: &random) ?? .appear
            switch event {
            case .appear:
                if machine.appear() { heard.calls.append("appear") }
            case .appeared:
                // The runtime reports the end of a call that it made.
                guard heard.contains("appear"), !heard.contains("appeared") else { continue }
                heard.calls.append("appeared")
                let isVisible = machine.appeared()
                #expect(isVisible == !heard.contains("disappear"), "seed \(seed)")
            case .background, .foreground:
                isInBackground = event == .background
                if machine.learn(isInBackground: isInBackground) {
                    heard.calls.append(isInBackground ? "background" : "foreground")
                }
            case .disappear:
                if machine.disappear() { heard.calls.append("disappear") }
            case .disappeared:
                guard heard.contains("disappear") else { continue }
                machine.disappeared()
                #expect(machine.life == .gone, "seed \(seed)")
            }
            check(heard, machine, isInBackground, seed)
        }
    }

    private func check(_ heard: Heard, _ machine: ContextVisibility, _ isInBackground: Bool, _ seed: UInt64) {
        #expect(heard.count("appear") <= 1 && heard.count("disappear") <= 1, "seed \(seed): \(heard.calls)")
        let news = heard.calls.filter { $0 == "background" || $0 == "foreground" }
        // Background first, and then by turns.
        for (index, call) in news.enumerated() {
            #expect(call == (index.isMultiple(of: 2) ? "background" : "foreground"), "seed \(seed): \(heard.calls)")
        }
        guard let first = heard.calls.firstIndex(where: { news.contains($0) }) else { return }
        #expect(heard.calls.firstIndex(of: "appeared").map { $0 < first } == true, "seed \(seed): \(heard.calls)")
        let end = heard.calls.firstIndex(of: "disappear") ?? heard.calls.count
        #expect(heard.calls.lastIndex { news.contains($0) }.map { $0 < end } == true, "seed \(seed): \(heard.calls)")
    }

    @Test("A visible context that hears of each move of the application believes what is so", arguments: 0..<50)
    func belief(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = ContextVisibility()
        #expect(machine.appear() && machine.appeared())
        for _ in 0..<30 {
            let isInBackground = Bool.random(using: &random)
            let before = machine.knowsBackground
            #expect(machine.learn(isInBackground: isInBackground) == (before != isInBackground))
            #expect(machine.knowsBackground == isInBackground)
        }
    }
}

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

    @Test("A context that appears while the application goes to the background hears of it after its onAppear")
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
