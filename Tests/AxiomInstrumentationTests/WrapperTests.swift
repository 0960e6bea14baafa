// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import Testing

/// Notes what is called, on a client of its own.
private actor SpyClient: Client {
    let store = StateStore(TillState())
    private(set) var calls: [String] = []

    var state: TillState { store.state }
    nonisolated var stateStream: StateStream<TillState> { store.stream }

    func activate() async throws { calls.append("activate") }
    func deactivate() async { calls.append("deactivate") }

    func process(_ action: MailAction) async throws {
        calls.append("process")
        if case .send(let work) = action { try await work() }
        store.update { $0.sales += 1 }
    }
}

@Suite("The wrapper of clients", .timeLimit(.minutes(10)))
struct WrapperTests {
    private func wrapped(_ spy: SpyClient, _ telemetry: Telemetry) -> any Client<TillState, MailAction> {
        observed(spy, telemetry)
    }

    private func wrappedAsStateless<C: StatelessClient>(
        _ client: C,
        _ telemetry: Telemetry
    ) -> any StatelessClient<C.ActionType> {
        observed(client, telemetry)
    }

    private func observed<C: StatelessClient>(_ client: C, _ telemetry: Telemetry) -> ObservedClient<C> {
        let component = ComponentDescriptor(kind: .client, name: "Spy")
        let probe = telemetry.clientProbe(for: component, of: C.self, calledBy: nil)
        let breakers = telemetry.clientBreakers(for: component, of: C.self)
        return ObservedClient(client, component, probe: probe, clock: telemetry.timeSource, breakers: breakers)
    }

    @Test("State, stream and life cycle are those of the client itself")
    func forwarding() async throws {
        let spy = SpyClient()
        let client = wrapped(spy, try Telemetry())
        try await client.activate()
        var states = client.stateStream.makeAsyncIterator()
        #expect(try await states.next() == TillState())
        try await client.process(.send {})
        #expect(try await states.next() == TillState(sales: 1))
        #expect(await client.state == TillState(sales: 1))
        await client.deactivate()
        #expect(await spy.calls == ["activate", "process", "deactivate"])
    }

    @Test("The caller sees the client's own error")
    func errors() async throws {
        let client = wrapped(SpyClient(), try Telemetry())
        await #expect(throws: Refused(reason: 3)) { try await client.process(.send { throw Refused(reason: 3) }) }
        await #expect(throws: CancellationError.self) { try await client.process(.send { throw CancellationError() }) }
        await #expect(throws: PaperJam.self) { try await client.process(.send { throw PaperJam() }) }
    }

    @Test("A stateless client is forwarded to as well")
    func stateless() async throws {
        let spy = SpyClient()
        let telemetry = try Telemetry()
        let client = wrappedAsStateless(spy, telemetry)
        try await client.activate()
        try await client.process(.send {})
        await #expect(throws: Refused.self) { try await client.process(.send { throw Refused() }) }
        await client.deactivate()
        #expect(await spy.calls == ["activate", "process", "process", "deactivate"])
        let outcomes = telemetry.registry.collect().outcomes(client: "Spy", "send")
        #expect(outcomes == ["success": 1, "failure": 1, "cancelled": 0, "rejected": 0])
    }

    @Test("No call is lost or counted twice when eight tasks call at once")
    func concurrency() async throws {
        let telemetry = try Telemetry()
        let client = wrapped(SpyClient(), telemetry)
        let failed = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask { await Self.call(client, 500) { ($0 + task) % 3 == 0 } }
            }
            return await group.reduce(0, +)
        }
        let metrics = telemetry.registry.collect()
        #expect(
            metrics.outcomes(client: "Spy", "send")
                == ["success": Double(4_000 - failed), "failure": Double(failed), "cancelled": 0, "rejected": 0]
        )
        #expect(metrics.value("axiom_client_actions_in_flight", ["client": "Spy"]) == 0)
        #expect(metrics.value("axiom_client_action_duration_seconds", ["client": "Spy", "action": "send"]) == 4_000)
    }

    /// Calls the client, and counts the calls that threw.
    private static func call(
        _ client: any Client<TillState, MailAction>,
        _ times: Int,
        failing: @Sendable (Int) -> Bool
    ) async -> Int {
        var failures = 0
        for call in 0..<times {
            let fails = failing(call)
            do {
                try await client.process(.send { if fails { throw Refused() } })
            } catch {
                failures += 1
            }
        }
        return failures
    }

    @Test("Process does not wait for an actor of the wrapper: two calls can be under way at once")
    func noQueue() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let client = wrapped(SpyClient(), try Telemetry(clock: clock))
        let calls = (0..<2).map { _ in
            Task { try await client.process(.send { try await clock.sleep(for: .seconds(1)) }) }
        }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        for call in calls { try await call.value }
    }
}
