// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import AxiomTesting
import Observation
import Testing

@testable import Axiom

/// Publishes after a number of turns that the action gives, or after a time.
private actor LateClient: Client, Component {
    enum Order: Action {
        case publish(Int, turns: Int)
        case wait(@Sendable () async -> Void)
        case sleep(Duration)
    }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>
    private let clock: TimeSource

    init(_ scope: borrowing ClientScope, _ clock: TimeSource) {
        identity = scope.identity
        store = scope.store(TallyState())
        self.clock = clock
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }

    func process(_ action: Order) async throws {
        switch action {
        case .publish(let value, let turns):
            for _ in 0..<turns { await Task.yield() }
            store.update { $0.value = value }
        case .wait(let wait): await wait()
        case .sleep(let duration):
            try await clock.sleep(for: duration)
            store.update { $0.value += 1 }
        }
    }
}

@Observable
private final class LateContext: Context {
    nonisolated let identity: ComponentIdentity
    private let client: any Client<TallyState, LateClient.Order>
    private(set) var value = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(LateClient.self)
    }

    func onAppear() async throws { observe(client) { $0.value = $1.value } }
    func handle(_ action: LateClient.Order) async throws { try await client.process(action) }
}

private struct LateView: Presentation {
    let context: LateContext
    var body: Int { context.value }
}

@MainActor
@Suite("Quiescence", .timeLimit(.minutes(10)))
struct QuiescenceTests {
    private let time = ManualTime()
    private let outputs = Journal<Int>()

    private func mounted() async throws -> (Orchestrator, PresentationHost<LateView>, LateContext) {
        let time = time
        let orchestrator = Orchestrator(clock: .manual(time), limits: .endless)
        orchestrator.register(LateClient.self) { LateClient($0, .manual(time)) }
        orchestrator.register(LateContext.self) { try LateContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(LateView.self, orchestrator) { [outputs] in outputs.write($0) }
        try await host.mount()
        return (orchestrator, host, try #require(host.context))
    }

    @Test("A context whose onAppear() is under way is awaited until it is visible, in each schedule")
    func appearance() async throws {
        try await withInterleavings(50) { _ in
            let begun = Gate()
            var script = ScriptContext.Script()
            script.onAppear = { _ in
                begun.open()
                await Task.yield()
            }
            let orchestrator = await Orchestrator.scripted(script)
            try await orchestrator.start()
            let host = await PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
            async let mount: Void = host.mount()
            await begun.wait()
            #expect(await orchestrator.quiet(upTo: .seconds(10)))
            #expect(await host.context?.runtime.life == .visible)
            try await mount
        }
    }

    @Test("However late a client publishes, its state is applied and rendered when the application is quiet")
    func late() async throws {
        let (orchestrator, host, context) = try await mounted()
        defer { withExtendedLifetime(host) {} }
        var random = SeededGenerator(seed: TestSeed.drawn())
        for value in 1...300 {
            let turns = Int.random(in: 0...50, using: &random)
            Task { await context.send(.publish(value, turns: turns)) }
            #expect(await orchestrator.quiet())
            #expect(context.value == value && outputs.entries.last == value)
        }
    }

    @Test("While an action waits behind a gate, the application is not quiet, and the wait ends at its limit")
    func limit() async throws {
        let (orchestrator, host, context) = try await mounted()
        defer { withExtendedLifetime(host) {} }
        let gate = Gate()
        Task { await context.send(.wait { await gate.wait() }) }
        #expect(await !orchestrator.quiet(upTo: .milliseconds(20)))
        #expect(context.underWay == (1, 0))
        gate.open()
        #expect(await orchestrator.quiet())
        #expect(context.underWay == (0, 0))
    }

    @Test("For the testing kit, an action that sleeps on the manual time lets the application be quiet")
    func sleeps() async throws {
        let (orchestrator, host, context) = try await mounted()
        defer { withExtendedLifetime(host) {} }
        orchestrator.quiescence.followsWaits = true
        let work = orchestrator.quiescence.begin("the action") { await context.send(.sleep(.seconds(5))) }
        #expect(await orchestrator.quiet())
        #expect(work.isWaiting && !work.hasEnded)
        #expect(time.deadlines.count == 1)
        time.advance(by: .seconds(5))
        #expect(await orchestrator.quiet())
        #expect(work.hasEnded && context.value == 1 && outputs.entries == [0, 1])
    }

    @Test("A covered context and one that has ended are quiet")
    func ended() async throws {
        let (orchestrator, host, context) = try await mounted()
        await host.cover()
        #expect(await orchestrator.quiet())
        await host.unmount()
        #expect(await context.quiet())
    }
}
