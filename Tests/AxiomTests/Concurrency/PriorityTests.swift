// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// The priority of a caller reaches what the framework runs for it.
@MainActor
@Suite("Priorities", .timeLimit(.minutes(10)))
struct PriorityTests {
    private let priorities = Journal<TaskPriority>()

    @Test("An action runs in its client's actor with the priority of its caller, under each rule (CLI-09)")
    func actions() async throws {
        let app = try await WorkApplication { [priorities] _ in priorities.write(Task.currentPriority) }
        for priority in [TaskPriority.high, .background] {
            for action in [WorkAction.free(0), .serial(0), .latest(0), .first(0)] {
                try await Task.detached(priority: priority) { [client = app.client] in
                    try await client.process(action)
                }.value
                #expect(isAtLeast(priority), "\(action)")
            }
        }
        #expect(priorities.entries.prefix(4).allSatisfy { $0 == .high })
    }

    /// The main actor that awaits a task escalates it, so a low priority may be raised.
    private func isAtLeast(_ priority: TaskPriority) -> Bool {
        (priorities.entries.last).map { $0 >= priority } ?? false
    }

    @Test(
        "Mount, appearance and observation run with the priority of the task that mounts, and an unmount too (CLI-09)"
    )
    func turns() async throws {
        let priorities = priorities
        var script = ScriptContext.Script()
        script.onAppear = { context in
            priorities.write(Task.currentPriority)
            context.observe(context.tally) { _, _ in priorities.write(Task.currentPriority) }
        }
        script.onDisappear = { _ in priorities.write(Task.currentPriority) }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await Task.detached(priority: .high) { try await host.mount() }.value
        await priorities.wait { $0.count == 2 }
        await Task.detached(priority: .high) { await host.unmount() }.value
        #expect(priorities.entries == [.high, .high, .high])
    }

    /// Begins work at background priority that ends as soon as it has a high one.
    private func beginWork<Key>(for key: Key, in flight: SingleFlight<Key, Int>) async -> Task<Int, any Error> {
        let journal = Journal<String>()
        let low = Task.detached(priority: .background) {
            try await flight.value(for: key) {
                journal.write("work")
                while Task.currentPriority < .high { await Task.yield() }
                return 1
            }
        }
        await journal.wait(for: "work")
        return low
    }

    @Test("Shared work is escalated to the priority of a caller that joins (CLI-09)")
    func joined() async throws {
        let flight = SingleFlight<Int, Int>("Loader")
        let low = await beginWork(for: 1, in: flight)
        let high = Task.detached(priority: .high) { try await flight.value(for: 1) { 2 } }
        #expect(try await high.value == 1)
        #expect(try await low.value == 1)
    }

    @Test("Shared work is escalated when the task of a caller that waits is escalated (CLI-09)")
    func escalated() async throws {
        let flight = SingleFlight<Int, Int>("Loader")
        let low = await beginWork(for: 1, in: flight)
        // A task that awaits another one escalates it.
        #expect(try await Task.detached(priority: .high) { try await low.value }.value == 1)
    }

    /// A key whose look-up escalates the task that looks it up.
    private struct EscalatingKey: Hashable, Sendable {
        let escalates: Bool

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {
            if escalates { withUnsafeCurrentTask { $0?.escalatePriority(to: .high) } }
        }
    }

    @Test("An escalation between the call and the wait is not lost (CLI-09)")
    func early() async throws {
        let flight = SingleFlight<EscalatingKey, Int>("Loader")
        let low = await beginWork(for: EscalatingKey(escalates: false), in: flight)
        let joined = Task.detached(priority: .background) {
            try await flight.value(for: EscalatingKey(escalates: true)) { 2 }
        }
        // Not awaited before: that would escalate it.
        while flight.count > 0 { await Task.yield() }
        #expect(try await joined.value == 1)
        #expect(try await low.value == 1)
    }
}
