// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

#if Instrumented
@Suite(
    "The demo's circuit breakers in a storm",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct BreakerTests {
    private static let calls = "axiom_circuit_calls_total"
    private static let transitions = "axiom_circuit_transitions_total"
    /// The states of breakers that refuse calls and that no operator forces.
    private static let states = ["closed", "open", "half_open"]

    /// The same load in every run: a number of steps of the same scripts, at four times the default rate.
    private static let load = [
        "--faults", "storm", "--rate", "200", "--steps", "2400", "--seed", "5", "--linger", "120s",
    ]

    @Test("Breakers open, half-open and close again; every call is accounted for; the servers get half the requests")
    func storm() async throws {
        async let unprotected = self.unprotected()
        let demo = try await DemoProcess.counted(Self.load)
        for _ in 0..<8 {
            let before = try await demo.ledger()
            let metrics = try await demo.scrape()
            expectConserved(metrics, between: before, and: try await demo.ledger())
            expectHistories(metrics)
        }
        try await demo.loadEnded()
        let (ledger, metrics) = (try await demo.ledger(), try await demo.scrape())
        expectEqual(metrics, ledger)
        expectHistories(metrics)
        #expect(enforced(metrics).count == 4)
        #expect(enforced(metrics).contains { hasRecovered($0, metrics) })
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)

        let other = try await unprotected
        // The same windows were opened, so it was the same load.
        #expect(ledger.created == other.created)
        #expect(other.upstream.stormyRequests > 0)
        #expect(2 * ledger.upstream.stormyRequests <= other.upstream.stormyRequests)
    }

    /// The ledger of a run in which nothing is refused. Its breakers run in shadow mode.
    private func unprotected() async throws -> DemoLedger {
        let demo = try await DemoProcess.counted(Self.load + ["--breakers", "off"])
        try await demo.loadEnded()
        let (ledger, metrics) = (try await demo.ledger(), try await demo.scrape())
        expectEqual(metrics, ledger)
        #expect(enforced(metrics) == [])
        #expect(metrics.total(Self.calls, ["outcome": "rejected"]) == 0)
        #expect(metrics.total(Self.transitions) == 0)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
        return ledger
    }

    // MARK: - Calls

    /// The number of calls of each breaker is between the calls that had ended before the scrape and those that had begun
    /// after it, both by the ledger.
    private func expectConserved(_ metrics: MetricTotals, between before: DemoLedger, and after: DemoLedger) {
        for client in after.clients.keys {
            let labels = ["breaker": client]
            let offered = metrics.total(Self.calls, labels) + metrics.total("axiom_circuit_calls_in_flight", labels)
            #expect(before.endedCalls(of: client) <= offered, "\(client)")
            #expect(offered <= after.calls(of: client), "\(client)")
        }
    }

    private func expectEqual(_ metrics: MetricTotals, _ ledger: DemoLedger) {
        #expect(metrics.values(of: "breaker", in: Self.calls) == Set(ledger.clients.keys))
        for (client, outcomes) in ledger.clients {
            for (outcome, count) in outcomes {
                let labels = ["breaker": client, "outcome": outcome]
                #expect(metrics.total(Self.calls, labels) == count, "\(client) \(outcome)")
            }
            #expect(metrics.total(Self.calls, ["breaker": client]) == ledger.endedCalls(of: client), "\(client)")
        }
        #expect(metrics.total("axiom_circuit_calls_in_flight") == 0)
        #expect(metrics.total("axiom_errors_total") == ledger.ended)
        let refused = metrics.total(Self.calls, ["outcome": "rejected"])
        #expect(refused == ledger.rejections.shown + ledger.rejections.recovered + ledger.rejections.cancelled)
    }

    // MARK: - Transitions

    private func enforced(_ metrics: MetricTotals) -> Set<String> {
        metrics.values(of: "breaker", in: "axiom_circuit_state")
            .filter { metrics.total("axiom_circuit_state", ["breaker": $0, "state": "shadow"]) == 0 }
    }

    /// The transitions of each breaker are a path from closed to its present state. A state was entered once more than it
    /// was left if the path ends there, and once less if it begins there.
    private func expectHistories(_ metrics: MetricTotals) {
        for breaker in enforced(metrics) {
            for state in Self.states {
                let entered = metrics.total(Self.transitions, ["breaker": breaker, "to": state])
                let left = metrics.total(Self.transitions, ["breaker": breaker, "from": state])
                let isHere = metrics.total("axiom_circuit_state", ["breaker": breaker, "state": state])
                #expect(entered - left == isHere - (state == "closed" ? 1 : 0), "\(breaker) \(state)")
            }
        }
    }

    /// Whether the breaker went from closed to open, half open and closed again.
    private func hasRecovered(_ breaker: String, _ metrics: MetricTotals) -> Bool {
        let edges = [("closed", "open"), ("open", "half_open"), ("half_open", "closed")]
        let wasMade = edges.allSatisfy {
            metrics.total(Self.transitions, ["breaker": breaker, "from": $0, "to": $1]) > 0
        }
        let wasTimed = Self.states.allSatisfy {
            metrics.total("axiom_circuit_state_seconds_total", ["breaker": breaker, "state": $0]) > 0
        }
        return wasMade && wasTimed
    }
}
#endif
