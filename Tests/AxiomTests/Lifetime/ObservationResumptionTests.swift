// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Observation
import Testing

@testable import Axiom

extension StateStore<TallyState> {
    fileprivate func add(_ delivery: StateDelivery, times: Int = 1) {
        for _ in 0..<times { update(delivery) { $0.value += 1 } }
    }
}

@MainActor
@Suite("Observations that resume", .timeLimit(.minutes(10)))
struct ObservationResumptionTests {
    private let applied = Journal<Int>()
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

    private func observe(_ context: OpenStoreContext) {
        context.observe(context.client) { [applied] _, state in applied.write(state.value) }
    }

    @Test("An observation that was cancelled resumes with the critical states since, then the current one (STA-12)")
    func cancelled() async throws {
        let (_, context, store) = try await mounted()
        observe(context)
        await applied.wait(for: 0)
        store.add(.critical)
        await applied.wait(for: 1)
        context.runtime.endObservations()
        store.add(.critical, times: 2)
        store.add(.latest, times: 30)
        await context.quiet()
        #expect(applied.entries == [0, 1])
        observe(context)
        await applied.wait(for: 33)
        #expect(applied.entries == [0, 1, 2, 3, 33])
    }

    @Test("An observation that stalled and was not recovered resumes without a loss when it is begun again (STA-13)")
    func stalled() async throws {
        let (_, context, store) = try await mounted()
        observe(context)
        await applied.wait(for: 0)
        store.add(.critical, times: 1_500)
        while context.errorBoundary.count == 0 { await Task.yield() }
        #expect((context.errorBoundary.current?.error as? StateError)?.code == .subscriberStalled)
        #expect(applied.entries == Array(0...1_000))
        observe(context)
        await applied.wait(for: 1_500)
        #expect(applied.entries == Array(0...1_500))
        #expect(context.errorBoundary.count == 1)
    }

    @Test("A retry after a stall continues without a loss, up to the bound; beyond it the loss is an error (STA-10)")
    func lost() async throws {
        let (_, context, store) = try await mounted()
        context.strategy = .retry(attempts: 3, backoff: .none)
        observe(context)
        await applied.wait(for: 0)
        store.add(.critical, times: 5_000)
        await applied.wait(for: 5_000)
        // 1,000 waited for the subscriber, 1,000 in the journal.
        #expect(applied.entries == Array(0...1_000) + Array(4_001...5_000))
        let error = context.errorBoundary.history.compactMap { $0.error as? StateError }.first
        #expect(error?.code == .criticalStatesLost)
        #expect(error?.lost == 3_000)
    }

    @Test("A state whose application throws is retried and counts as applied once; the next ones follow (STA-11)")
    func throwing() async throws {
        let (_, context, store) = try await mounted()
        context.strategy = .retry(attempts: 3, backoff: .none)
        var failures = 2
        context.observe(context.client) { [applied] _, state in
            if state.value == 2, failures > 0 {
                failures -= 1
                throw SampleError("not yet")
            }
            applied.write(state.value)
        }
        await applied.wait(for: 0)
        store.add(.critical, times: 3)
        await applied.wait(for: 3)
        #expect(applied.entries == [0, 1, 2, 3])
        context.runtime.endObservations()
        observe(context)
        await context.quiet()
        #expect(applied.entries == [0, 1, 2, 3], "all were acknowledged")
    }

    @Test("A state whose recovery is cancelled is not acknowledged: the observation resumes with it (STA-11)")
    func cancelledRecovery() async throws {
        let (_, context, store) = try await mounted()
        let begun = Gate()
        context.strategy = RecoveryStrategy("slow") { _ in
            begun.open()
            try await Task.sleep(for: .seconds(3_600))
        }
        context.observe(context.client) { [applied] _, state in
            if state.value == 2 { throw SampleError("not now") }
            applied.write(state.value)
        }
        await applied.wait(for: 0)
        store.add(.critical, times: 3)
        await begun.wait()
        context.runtime.endObservations()
        observe(context)
        await applied.wait(for: 3)
        #expect(applied.entries == [0, 1, 2, 3])
    }

    @Test("If the stream has ended for good, a retry after a stall ends instead of subscribing for ever (STA-13)")
    func endedStream() async throws {
        let (_, context, store) = try await mounted()
        var choices = 0
        context.strategy = RecoveryStrategy("count") { operation in
            choices += 1
            try await operation.run()
        }
        observe(context)
        await applied.wait(for: 0)
        store.add(.critical, times: 1_001)
        store.finish()
        await applied.wait(for: 1_001)
        while !context.runtime.observations.isEmpty { await Task.yield() }
        await context.quiet()
        #expect(choices == 1)
        #expect(applied.entries == Array(0...1_001))
        #expect(context.errorBoundary.count == 0)
    }

    @Test("A covered context observes nothing, and resumes with the critical states since when it returns (CTX-08)")
    func covered() async throws {
        let (host, context, store) = try await mounted()
        observe(context)
        await applied.wait(for: 0)
        await host.cover()
        observe(context)
        store.add(.critical, times: 2)
        store.add(.latest, times: 30)
        await context.quiet()
        #expect(applied.entries == [0])
        #expect(context.runtime.observations.isEmpty)
        await host.uncover()
        observe(context)
        await applied.wait(for: 32)
        #expect(applied.entries == [0, 1, 2, 32])
        await host.cover()
        await host.unmount()
        #expect(context.runtime.positions.isEmpty)
    }

    @Test("A retry of an observation that failed before the context was covered does not observe twice (CTX-08)")
    func retryAfterCover() async throws {
        let (host, context, store) = try await mounted()
        context.strategy = .surface(options: [.retry("Again")])
        observe(context)
        await applied.wait(for: 0)
        store.add(.critical, times: 1_500)
        while context.errorBoundary.count == 0 { await Task.yield() }
        let entry = try #require(context.errorBoundary.current)
        await host.cover()
        await host.uncover()
        observe(context)
        await applied.wait(for: 1_500)
        await context.errorBoundary.choose(entry.options[0])
        store.add(.critical)
        await applied.wait(for: 1_501)
        await context.quiet()
        #expect(applied.entries == Array(0...1_501))
        #expect(context.errorBoundary.count == 1)
        #expect(context.runtime.observations.count == 1)
    }

    @Test("A context that has disappeared keeps no critical states in the store (STA-12)")
    func disappeared() async throws {
        let (host, context, store) = try await mounted()
        observe(context)
        await applied.wait(for: 0)
        await host.unmount()
        await context.quiet()
        store.add(.critical, times: 10)
        #expect(store.storage.journaled == 0)
        #expect(context.runtime.positions.isEmpty)
    }
}
