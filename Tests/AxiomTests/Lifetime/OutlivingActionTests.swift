// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

private enum DraftAction: Action {
    case load
    case save
}

/// Loads as long as it is shown, and saves to the end.
@Observable
private final class DraftContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let journal: Journal<String>
    @ObservationIgnored private let gate: Gate

    init(_ scope: borrowing ContextScope, _ journal: Journal<String>, _ gate: Gate) {
        identity = scope.identity
        (self.journal, self.gate) = (journal, gate)
    }

    static func outlivesContext(_ action: DraftAction) -> Bool { action == .save }

    func handle(_ action: DraftAction) async throws {
        journal.write("\(action)")
        switch action {
        case .load: try await Task.sleep(for: .seconds(3_600))
        case .save: await gate.wait()
        }
        journal.write(Task.isCancelled ? "\(action) cancelled" : "\(action) done")
    }
}

private struct DraftView: Presentation {
    let context: DraftContext
    var body: Int { 0 }
}

@MainActor
@Suite("Actions that outlive their context", .timeLimit(.minutes(10)))
struct OutlivingActionTests {
    private let journal = Journal<String>()
    private let gate = Gate()

    private func mounted() async throws -> PresentationHost<DraftView> {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(DraftContext.self) { [journal, gate] in DraftContext($0, journal, gate) }
        try await orchestrator.start()
        let host = PresentationHost(DraftView.self, orchestrator) { _ in }
        try await host.mount()
        return host
    }

    @Test("An action that is declared to outlive its context ends after the unmount; others are cancelled (CLI-10)")
    func outlives() async throws {
        let host = try await mounted()
        let context = WeakReference(try #require(host.context))
        let tasks = [DraftAction.load, .save].map { action in Task { [host] in await host.context?.send(action) } }
        await journal.wait { $0.count == 2 }
        await host.unmount()
        await tasks[0].value
        #expect(context.object != nil)
        gate.open()
        await tasks[1].value
        #expect(journal.entries.suffix(1) == ["save done"])
        #expect(!journal.entries.contains("load done"))
        await until { context.object == nil }
    }

    @Test("It is not cancelled with the task that sent it, not even if that was cancelled before (CLI-10)")
    func caller() async throws {
        let host = try await mounted()
        let context = try #require(host.context)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await context.send(.save)
        }
        await journal.wait(for: "save")
        task.cancel()
        gate.open()
        await task.value
        #expect(journal.entries == ["save", "save done"])
    }

    @Test("Each of 50 unmounts ends what its action awaits; framework/context.unmount.action has the time (CLI-10)")
    func unmounts() async throws {
        for _ in 0..<50 {
            let host = try await mounted()
            let sent = Task { [host] in await host.context?.send(.load) }
            await journal.wait { $0.last == "load" }
            journal.write("next")
            await host.unmount()
            await sent.value
        }
        #expect(journal.entries.count { $0 == "load" } == 50)
        #expect(!journal.entries.contains("load done"))
    }
}
