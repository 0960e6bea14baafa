// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Observation
import Testing

@testable import Axiom

extension StateStore<TallyState> {
    /// Publishes one critical state more than may wait for a subscriber, which ends its subscription.
    fileprivate func stallSubscribers() {
        for _ in 0...1_000 { update(.critical) { $0.value += 1 } }
    }
}

@MainActor
@Suite("Observations whose subscription fails", .timeLimit(.minutes(10)))
struct ObservationRecoveryTests {
    private let applied = Journal<Int>()
    private let given = Journal<String>()
    private let box = Box<StateStore<TallyState>>()

    private func mounted() async throws -> (
        PresentationHost<OpenStorePresentation>, OpenStoreContext, StateStore<TallyState>
    ) {
        let box = box
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(OpenStoreClient.self) { OpenStoreClient($0, box) }
        orchestrator.register(OpenStoreContext.self) { try OpenStoreContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(OpenStorePresentation.self, orchestrator) { _ in }
        try await host.mount()
        return (host, try #require(host.context), try #require(box.value))
    }

    /// A strategy that is given what `first` leaves, and says so.
    private func noting(after first: RecoveryStrategy) -> RecoveryStrategy {
        let given = given
        return first.otherwise(
            RecoveryStrategy("noting") { operation in
                given.write("left")
                throw operation.error
            }
        )
    }

    @Test("The limit of a retry bounds an observation that fails after each new subscription", arguments: 1...4)
    func bounded(attempts: Int) async throws {
        let (_, context, store) = try await mounted()
        context.strategy = noting(after: .retry(attempts: attempts, backoff: .none))
        var rounds = 0
        context.observe(context.client) { _, _ in
            // The first state of each subscription; what follows was pending when it ended.
            guard store.subscriberCount == 1 else { return }
            rounds += 1
            store.stallSubscribers()
        }
        await given.wait(for: "left")
        #expect(rounds == attempts)
        #expect(context.errorBoundary.recoveredCount == attempts - 1)
        while context.errorBoundary.count == 0 { await Task.yield() }
        #expect(context.errorBoundary.count == 1)
        #expect((context.errorBoundary.current?.error as? StateError)?.code == .subscriberStalled)
        while !context.runtime.observations.isEmpty { await Task.yield() }
        #expect(store.subscriberCount == 0)
    }

    @Test("An observation that works again may fail again: it recovers more often than one retry has attempts")
    func restartsCount() async throws {
        let (_, context, store) = try await mounted()
        context.strategy = noting(after: .retry(attempts: 2, backoff: .none))
        context.observe(context.client) { [applied] _, state in applied.write(state.value) }
        await applied.wait(for: 0)
        for round in 1...6 {
            store.stallSubscribers()
            // Subscribed again, and the current state was applied.
            await applied.wait(for: store.state.value)
            while context.errorBoundary.recoveredCount < round { await Task.yield() }
            store.update { $0.value += 1 }
            await applied.wait(for: store.state.value)
        }
        #expect(context.errorBoundary.recoveredCount == 6)
        #expect(context.errorBoundary.count == 0)
        #expect(given.entries.isEmpty)
        #expect(context.runtime.observations.count == 1)
        #expect(applied.entries == applied.entries.sorted())
    }

    @Test(
        "A retry of zero attempts does not subscribe again and leaves the error to the next step",
        arguments: [0, -1]
    )
    func noAttempts(attempts: Int) async throws {
        let (_, context, store) = try await mounted()
        context.strategy = noting(after: .retry(attempts: attempts))
        context.observe(context.client) { [applied] _, state in applied.write(state.value) }
        await applied.wait(for: 0)
        store.stallSubscribers()
        await given.wait(for: "left")
        while context.errorBoundary.count == 0 { await Task.yield() }
        #expect(context.errorBoundary.current?.recoveryError == nil)
        #expect(store.subscriberCount == 0)
    }

    @Test("A recovery of an observation ends when the context disappears, and nothing is applied afterwards")
    func disappears() async throws {
        let (host, context, store) = try await mounted()
        let begun = Gate()
        context.strategy = RecoveryStrategy("slow") { operation in
            begun.open()
            try? await Task.sleep(for: .seconds(3_600))
            try await operation.run()
        }
        context.observe(context.client) { [applied] _, state in applied.write(state.value) }
        await applied.wait(for: 0)
        store.stallSubscribers()
        await begun.wait()
        let before = applied.entries.count
        await host.unmount()
        while context.errorBoundary.history.isEmpty { await Task.yield() }
        #expect(applied.entries.count == before)
        #expect(store.subscriberCount == 0)
        #expect(context.runtime.observations.isEmpty)
    }

    @Test("A context that disappears while a recovery applies the pending states acknowledges none of them")
    func disappearsWhileApplying() async throws {
        let (host, context, store) = try await mounted()
        let (begun, gate) = (Gate(), Gate())
        context.strategy = RecoveryStrategy("slow for a state") { operation in
            guard operation.error is SampleError else { return try await operation.run() }
            begun.open()
            await gate.wait()
            throw operation.error
        }
        context.observe(context.client) { [applied] _, state in
            // What was pending when the subscription ended is applied without one.
            if !applied.entries.isEmpty, store.subscriberCount == 1 { throw SampleError("refused") }
            applied.write(state.value)
        }
        await applied.wait(for: 0)
        store.stallSubscribers()
        await begun.wait()
        let before = applied.entries.count
        await host.unmount()
        gate.open()
        while context.errorBoundary.history.count < 2 { await Task.yield() }
        #expect(context.errorBoundary.history.map(\.resolution) == [.ended, .cancelled])
        #expect(applied.entries.count == before && store.subscriberCount == 0)
    }

    @Test("A context that disappears while it hears of lost states takes none from the new subscription")
    func disappearsWhileSubscribing() async throws {
        let (host, context, store) = try await mounted()
        let (begun, gate) = (Gate(), Gate())
        context.strategy = RecoveryStrategy("slow for lost states") { operation in
            guard (operation.error as? StateError)?.code == .criticalStatesLost else {
                return try await operation.run()
            }
            begun.open()
            await gate.wait()
            throw operation.error
        }
        context.observe(context.client) { [applied] _, state in applied.write(state.value) }
        await applied.wait(for: 0)
        // More than a store keeps, before the context takes one of them.
        for _ in 0..<3 { store.stallSubscribers() }
        await begun.wait()
        let before = applied.entries.count
        await host.unmount()
        gate.open()
        while context.errorBoundary.history.count < 2 { await Task.yield() }
        #expect(context.errorBoundary.history.map(\.resolution) == [.ended, .cancelled])
        #expect(applied.entries.count == before)
        while store.subscriberCount > 0 { await Task.yield() }
    }

    @Test("100,000 observations that ended leave nothing in their context")
    func endedOnes() async throws {
        let double = TallyDouble(value: 7)
        let (_, context, _) = try await mounted()
        var seen = 0
        for _ in 0..<1_000 {
            for _ in 0..<100 { context.observe(double) { _, state in seen += state.value } }
            #expect(context.runtime.observations.count <= 200)
            while context.runtime.observations.count > 100 { await Task.yield() }
        }
        while !context.runtime.observations.isEmpty { await Task.yield() }
        #expect(seen == 700_000)
    }
}
