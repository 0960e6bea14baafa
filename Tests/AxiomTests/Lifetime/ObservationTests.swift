// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Observation
import Testing

@testable import Axiom

@MainActor
@Suite("Contexts that observe clients", .timeLimit(.minutes(10)))
struct ObservationTests {
    private let applied = Journal<Int>()

    /// A started orchestrator whose context observes its client from `onAppear` on.
    private func observing(
        _ apply: @escaping @MainActor @Sendable (ScriptContext, TallyState) throws -> Void = { _, _ in }
    ) async throws -> Orchestrator {
        let applied = applied
        var script = ScriptContext.Script()
        script.onAppear = { context in
            context.observe(context.tally) { context, state in
                applied.write(state.value)
                context.value = state.value
                try apply(context, state)
            }
        }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        return orchestrator
    }

    private func host(_ orchestrator: Orchestrator) -> PresentationHost<ScriptPresentation> {
        PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
    }

    @Test("The first state applied is the current one, and the last that was set arrives")
    func currentThenLatest() async throws {
        let orchestrator = try await observing()
        let host = host(orchestrator)
        try await host.mount()
        let context = try #require(host.context)
        await applied.wait(for: 0)
        for _ in 0..<500 { try await context.tally.process(.add(1)) }
        await applied.wait(for: 500)
        #expect(context.value == 500)
        #expect(applied.entries.first == 0)
        #expect(applied.entries == applied.entries.sorted())
    }

    @Test("What changes while the main actor is busy is applied in one turn: critical states in order, then the latest")
    func batches() async throws {
        let (box, applied) = (Box<StateStore<TallyState>>(), applied)
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(OpenStoreClient.self) { OpenStoreClient($0, box) }
        orchestrator.register(StoreContext.self) { try StoreContext($0) { applied.write($0.value) } }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(StoreContext.self)
        await applied.wait(for: 0)
        let store = try #require(box.value)
        // Nothing else runs on the main actor between these updates.
        for number in 1...100 { store.update(number % 40 == 0 ? .critical : .latest) { $0.value = number } }
        #expect(applied.entries == [0])
        await applied.wait(for: 100)
        #expect(applied.entries == [0, 40, 80, 100])
        withExtendedLifetime(context) {}
    }

    @Test("Each context that observes the client gets every latest state")
    func manyObservers() async throws {
        let orchestrator = try await observing()
        let hosts = (0..<10).map { _ in host(orchestrator) }
        for host in hosts { try await host.mount() }
        try await hosts[0].context?.tally.process(.add(3))
        await applied.wait { $0.count { $0 == 3 } == 10 }
        #expect(hosts.allSatisfy { $0.context?.value == 3 })
    }

    @Test("After the context disappeared no state is applied, though it is still alive")
    func endsWithDisappearance() async throws {
        let orchestrator = try await observing()
        let (host, witness) = (host(orchestrator), host(orchestrator))
        try await host.mount()
        let context = try #require(host.context)
        await applied.wait(for: 0)
        let tasks = context.observationTasks
        await host.unmount()
        try await witness.mount()
        try await context.tally.process(.add(9))
        // The witness has the state, so a subscription that was still open would have it as well.
        await applied.wait(for: 9)
        await end(of: tasks)
        #expect(context.value == 0)
        #expect(applied.entries.count { $0 == 9 } == 1)
    }

    @Test("A state that is on its way when the context disappears is not applied")
    func pendingStateIsDropped() async throws {
        var script = ScriptContext.Script()
        let applied = applied
        script.onAppear = { context in
            context.observe(context.tally) { _, state in applied.write(state.value) }
        }
        script.onDisappear = { context in
            try await context.tally.process(.add(1))
        }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        let host = host(orchestrator)
        try await host.mount()
        await applied.wait(for: 0)
        let tasks = try #require(host.context).observationTasks
        await host.unmount()
        await end(of: tasks)
        #expect(applied.entries == [0])
    }

    @Test("An observation does not keep its context alive, even when nothing tells it to disappear")
    func doesNotRetain() async throws {
        let orchestrator = try await observing()
        var host: PresentationHost<ScriptPresentation>? = host(orchestrator)
        try await host?.mount()
        await applied.wait(for: 0)
        weak let context = host?.context
        let tally = try #require(context?.tally)
        let tasks = try #require(context?.observationTasks)
        host = nil
        #expect(context == nil)
        try await tally.process(.add(5))
        await end(of: tasks)
        #expect(applied.entries == [0])
    }

    @Test("An observation that ended leaves no subscription in the client's store")
    func leavesNoSubscription() async throws {
        let box = Box<StateStore<TallyState>>()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(OpenStoreClient.self) { OpenStoreClient($0, box) }
        orchestrator.register(StoreContext.self) { try StoreContext($0) { _ in } }
        try await orchestrator.start()
        let store = try #require(box.value)
        let host = PresentationHost(StorePresentation.self, orchestrator) { _ in }
        for _ in 0..<50 {
            try await host.mount()
            #expect(store.subscriberCount <= 1)
            let tasks = try #require(host.context).observationTasks
            await host.unmount()
            await end(of: tasks)
            #expect(store.subscriberCount == 0)
        }
        var dropped: StoreContext? = try orchestrator.makeContext(StoreContext.self)
        while store.subscriberCount == 0 { await Task.yield() }
        let tasks = try #require(dropped?.observationTasks)
        _ = consume dropped
        dropped = nil
        await end(of: tasks)
        #expect(store.subscriberCount == 0)
    }

    @Test("What apply throws ends at the boundary, and observation goes on")
    func errorInApply() async throws {
        let orchestrator = try await observing { _, state in
            if state.value == 1 { throw SampleError("odd state") }
        }
        let host = host(orchestrator)
        try await host.mount()
        let context = try #require(host.context)
        await applied.wait(for: 0)
        try await context.tally.process(.add(1))
        await applied.wait(for: 1)
        while context.errorBoundary.count == 0 { await Task.yield() }
        #expect(context.errorBoundary.current?.error as? SampleError == SampleError("odd state"))
        #expect(context.errorBoundary.count == 1)
        try await context.tally.process(.add(1))
        await applied.wait(for: 2)
        #expect(context.errorBoundary.count == 1)
    }

    @Test("A cancellation thrown by apply is no error")
    func cancellationInApply() async throws {
        let orchestrator = try await observing { _, _ in throw Cancellation.onPurpose }
        let host = host(orchestrator)
        try await host.mount()
        await applied.wait(for: 0)
        let context = try #require(host.context)
        let tasks = context.observationTasks
        await host.unmount()
        await end(of: tasks)
        #expect(context.errorBoundary.history.isEmpty)
    }

    @Test("A context that is gone begins no observation, though its onAppear is still running")
    func lateObservation() async throws {
        let (applied, begun, gate) = (applied, Gate(), Gate())
        var script = ScriptContext.Script()
        script.onAppear = { context in
            begun.open()
            await gate.wait()
            context.observe(context.tally) { _, state in applied.write(state.value) }
        }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        let host = host(orchestrator)
        let mount = Task { try await host.mount() }
        await begun.wait()
        let context = try #require(host.context)
        await host.unmount()
        gate.open()
        try await mount.value
        #expect(context.runtime.observations.isEmpty)
        #expect(applied.entries.isEmpty)
    }

    /// Waits until observations that were begun have ended: no state is applied by them after that.
    private func end(of tasks: [Task<Void, Never>]) async {
        #expect(!tasks.isEmpty)
        for task in tasks { await task.value }
    }
}

extension Context {
    /// The tasks of the observations that have not ended.
    fileprivate var observationTasks: [Task<Void, Never>] { runtime.observations.values.map(\.task) }
}

/// Observes from its initializer on.
private final class StoreContext: Context, Observable {
    let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope, _ apply: @escaping @MainActor (TallyState) -> Void) throws {
        identity = scope.identity
        observe(try scope.client(OpenStoreClient.self)) { _, state in apply(state) }
    }
}

private struct StorePresentation: Presentation {
    let context: StoreContext
    var body: Int { 0 }
}
