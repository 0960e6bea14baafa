// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import AxiomTesting
import Observation
import Testing

@testable import Axiom

/// A client that writes the calls of its hooks into a journal.
private actor CostlyClient: ObservationAwareClient, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>
    private let journal: Journal<String>
    /// Awaited in `whenObserved()`.
    private let gate: Gate?
    private let fails: Bool

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>, gate: Gate? = nil, fails: Bool = false) {
        identity = scope.identity
        store = scope.store(TallyState())
        (self.journal, self.gate, self.fails) = (journal, gate, fails)
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }
    func process(_ action: TallyAction) async throws {}
    func activate() async throws { journal.write("activate") }
    func deactivate() async { journal.write("deactivate") }

    func whenObserved() async throws {
        journal.write("observed")
        // Use of the own store: no lock is held.
        store.update { $0.value += 1 }
        await gate?.wait()
        journal.write("observed, end")
        if fails { throw SampleError("no connection") }
    }

    func whenUnobserved() async {
        journal.write("unobserved")
        store.update { $0.value += 1 }
    }
}

@MainActor
private final class CostlyContext: Context, Observable {
    nonisolated let identity: ComponentIdentity
    let client: any Client<TallyState, TallyAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(CostlyClient.self)
    }

    func handle(_ action: NoAction) async throws {}
    func onAppear() async throws { observe(client) { _, _ in } }
}

private struct CostlyPresentation: Presentation {
    let context: CostlyContext
    var body: Int { 0 }
}

@MainActor
@Suite("Clients that are notified of their observation", .timeLimit(.minutes(10)))
struct ObservationHooksTests {
    private let journal = Journal<String>()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(limits: .endless)
    }

    private func started(gate: Gate? = nil, fails: Bool = false) async throws -> any Client<TallyState, TallyAction> {
        let journal = journal
        orchestrator.register(CostlyClient.self) { CostlyClient($0, journal, gate: gate, fails: fails) }
        orchestrator.register(CostlyContext.self) { try CostlyContext($0) }
        try await orchestrator.start()
        return try orchestrator.makeContext(CostlyContext.self).client
    }

    private func host() -> PresentationHost<CostlyPresentation> {
        PresentationHost(CostlyPresentation.self, orchestrator) { _ in }
    }

    @Test("The first observing context and the end of the last one lead to one call each, in order (C13)")
    func firstAndLast() async throws {
        _ = try await started()
        #expect(journal.entries == ["activate"])
        let hosts = (0..<10).map { _ in host() }
        for host in hosts { try await host.mount() }
        await journal.wait(for: "observed, end")
        for host in hosts { await host.unmount() }
        await journal.wait(for: "unobserved")
        #expect(journal.entries == ["activate", "observed", "observed, end", "unobserved"])
        try await hosts[0].mount()
        await journal.wait { $0.count { $0 == "observed, end" } == 2 }
        await orchestrator.shutdown()
        #expect(journal.entries.suffix(2) == ["unobserved", "deactivate"])
        #expect(journal.entries.count == 8)
    }

    @Test("A subscriber that leaves and one that comes in the same turn lead to no call (C13)")
    func flapping() async throws {
        try await withInterleavings(20) { try await Self().flap($0) }
    }

    private func flap(_ run: Interleaving) async throws {
        let client = try await started()
        var iterator: StateStream<TallyState>.AsyncIterator? = client.stateStream.makeAsyncIterator()
        iterator = nil
        await run.quiet()
        #expect(journal.entries == ["activate"])
        iterator = client.stateStream.makeAsyncIterator()
        await journal.wait(for: "observed, end")
        for _ in 0..<1_000 {
            iterator = nil
            iterator = client.stateStream.makeAsyncIterator()
        }
        // The shutdown waits for calls under way, so the list has all of them.
        await orchestrator.shutdown()
        #expect(journal.entries == ["activate", "observed", "observed, end", "unobserved", "deactivate"])
        withExtendedLifetime(iterator) {}
    }

    @Test("While a hook runs, no other one begins; what changed in between follows it (C13)")
    func neverConcurrent() async throws {
        try await withInterleavings(20) { try await Self().endDuringCall($0) }
    }

    private func endDuringCall(_ run: Interleaving) async throws {
        let gate = Gate()
        let client = try await started(gate: gate)
        var iterator: StateStream<TallyState>.AsyncIterator? = client.stateStream.makeAsyncIterator()
        await journal.wait(for: "observed")
        iterator = nil
        await run.quiet()
        #expect(journal.entries == ["activate", "observed"])
        gate.open()
        await journal.wait(for: "unobserved")
        #expect(journal.entries == ["activate", "observed", "observed, end", "unobserved"])
        #expect(iterator == nil)
    }

    @Test("A client that is observed at the shutdown is unobserved before it is deactivated (C13)")
    func shutdown() async throws {
        try await withInterleavings(20) { try await Self().shutDown($0) }
    }

    private func shutDown(_ run: Interleaving) async throws {
        let client = try await started()
        let iterator = client.stateStream.makeAsyncIterator()
        await journal.wait(for: "observed, end")
        await orchestrator.shutdown()
        #expect(journal.entries == ["activate", "observed", "observed, end", "unobserved", "deactivate"])
        withExtendedLifetime(iterator) {}
        await run.quiet()
        #expect(journal.entries.count == 5)
    }

    @Test("An error of whenObserved() ends at the orchestrator, and the client counts as observed (C13)")
    func failure() async throws {
        let client = try await started(fails: true)
        var iterator: StateStream<TallyState>.AsyncIterator? = client.stateStream.makeAsyncIterator()
        while orchestrator.errorBoundary.count == 0 { await Task.yield() }
        #expect(orchestrator.errorBoundary.current?.error as? SampleError == SampleError("no connection"))
        iterator = nil
        await journal.wait(for: "unobserved")
        #expect(orchestrator.errorBoundary.count == 1)
        #expect(iterator == nil)
    }

    @Test("Of 64 tasks that subscribe and leave at random, the calls alternate and agree with the end (C13)")
    func manySubscribers() async throws {
        let seed = TestSeed.drawn()
        let stream = try await started().stateStream
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ number)
                    for _ in 0..<50 {
                        let iterator = stream.makeAsyncIterator()
                        for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
                        withExtendedLifetime(iterator) {}
                    }
                }
            }
        }
        await orchestrator.shutdown()
        let calls = journal.entries.filter { $0 == "observed" || $0 == "unobserved" }
        #expect(calls == (0..<calls.count).map { $0.isMultiple(of: 2) ? "observed" : "unobserved" })
        #expect(calls.count.isMultiple(of: 2))
    }
}
