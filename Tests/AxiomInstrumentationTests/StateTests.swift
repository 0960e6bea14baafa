// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Testing

@Suite("State")
@MainActor
struct StateTests {
    /// The client as contexts see it. It has no subscriber, because the context is not mounted.
    private func till(_ app: SampleApp) throws -> any Client<TillState, TillAction> {
        try app.orchestrator.makeContext(CounterContext.self).till
    }

    @Test("Changes count as updates, equal states do not")
    func updates() async throws {
        let app = try await SampleApp.started()
        let till = try till(app)
        for _ in 0..<4 { try await till.process(.sell {}) }
        try await till.process(.close)
        #expect(app.metrics.value("axiom_state_updates_total", ["client": "TillClient"]) == 4)
        #expect(await till.state == TillState(sales: 4))
    }

    @Test("For each subscriber, states taken and states coalesced are the states that there were")
    func coalesced() async throws {
        let app = try await SampleApp.started()
        let till = try till(app)
        var states = till.stateStream.makeAsyncIterator()
        var taken = try await states.next() == nil ? 0 : 1
        for _ in 0..<50 { try await till.process(.sell {}) }
        while let state = try await states.next() {
            taken += 1
            if state.sales == 50 { break }
        }
        let coalesced = try #require(app.metrics.value("axiom_state_coalesced_total", ["client": "TillClient"]))
        #expect(coalesced > 0)
        #expect(Double(taken) + coalesced == 51)
    }

    @Test("Propagation is the time from a change to its arrival")
    func propagation() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let till = try till(app)
        var states = till.stateStream.makeAsyncIterator()
        _ = try await states.next()
        #expect(app.metrics.value("axiom_state_propagation_seconds", ["client": "TillClient"]) == 0)
        try await till.process(.sell {})
        time.advance(by: .milliseconds(4))
        _ = try await states.next()
        let series = app.metrics.series("axiom_state_propagation_seconds", ["client": "TillClient"])
        #expect(series?.histogram?.sum == 0.004)
        let bounds = app.metrics.family("axiom_state_propagation_seconds")?.definition.buckets.upperBounds
        let expected = (bounds ?? []).map { (0.0037...0.0043).contains($0) ? 1 : 0 as UInt64 }
        #expect(expected.reduce(0, +) == 1 && series?.histogram?.counts == expected + [0])
    }

    @Test("A state that a stalled subscriber could not take is counted as dropped, under its reason")
    func stalled() async throws {
        let app = try await SampleApp.started()
        let till = try till(app)
        let states = till.stateStream.makeAsyncIterator()
        for _ in 0..<1_000 { try await till.process(.stamp) }
        let reason = ["reason": "subscriber_stalled"]
        #expect(app.metrics.value("axiom_telemetry_dropped_total", reason) == 0)
        try await till.process(.stamp)
        #expect(app.metrics.value("axiom_telemetry_dropped_total", reason) == 1)
        // The subscription is closed: nothing more is dropped.
        try await till.process(.stamp)
        #expect(app.metrics.value("axiom_telemetry_dropped_total", reason) == 1)
        withExtendedLifetime(states) {}
    }
}
#endif
