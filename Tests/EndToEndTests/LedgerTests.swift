// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "The demo's metrics against its ledger",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct LedgerTests {
    private static let outcomes = ["success", "failure", "cancelled", "rejected"]

    /// The metrics of the contract that a page has when an error has ended.
    private static let families = [
        "axiom_build_info", "axiom_component_dependency", "axiom_component_created", "axiom_component_live",
        "axiom_component_lifetime_seconds",
        "axiom_component_leak_suspects", "axiom_client_actions", "axiom_client_action_duration_seconds",
        "axiom_client_actions_in_flight", "axiom_context_actions", "axiom_context_action_duration_seconds",
        "axiom_context_lifecycle_duration_seconds", "axiom_state_updates", "axiom_state_coalesced",
        "axiom_state_propagation_seconds", "axiom_errors", "axiom_telemetry_dropped", "axiom_exporter_scrapes",
        "axiom_exporter_scrape_duration_seconds", "axiom_exporter_scrape_bytes", "process_cpu_seconds",
        "process_open_fds", "process_max_fds", "process_virtual_memory_bytes", "process_virtual_memory_max_bytes",
        "process_resident_memory_bytes", "process_start_time_seconds", "process_threads",
    ]

    @Test("During the load each total lies between two readings of the ledger; afterwards each is equal to it")
    func mild() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-ledger-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let demo = try await DemoProcess.counted([
            "--duration", "6s", "--linger", "120s", "--faults", "mild", "--rate", "200", "--ledger", file.path,
        ])
        for _ in 0..<5 {
            let before = try await demo.ledger()
            let metrics = try await demo.scrape()
            expect(metrics, between: before, and: try await demo.ledger())
        }
        try await demo.loadEnded()
        let ledger = try JSONDecoder().decode(DemoLedger.self, from: try Data(contentsOf: file))
        let metrics = try await demo.scrape()
        expect(metrics, equals: ledger)
        #expect(metrics.repeated == 0)
        // Its labels are not known in advance, so the first error makes the family. On a busy machine there may be none.
        let absent: Set = ledger.errors == 0 ? ["axiom_errors"] : []
        #expect(Set(Self.families).subtracting(metrics.families) == absent)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    @Test("In a storm each fault that the server served is an error, a recovery or a cancellation")
    func storm() async throws {
        let demo = try await DemoProcess.counted([
            "--duration", "8s", "--linger", "120s", "--faults", "storm", "--rate", "200",
        ])
        try await demo.loadEnded()
        let ledger = try await demo.ledger()
        #expect(ledger.upstream.faults > 0)
        #expect(ledger.upstream.faults == ledger.errors + ledger.recovered + ledger.cancelled)
        let refused = ledger.clients.keys.reduce(0) { $0 + (ledger.clients[$1]?["rejected"] ?? 0) }
        #expect(refused > 0)
        #expect(refused == ledger.rejections.shown + ledger.rejections.recovered + ledger.rejections.cancelled)
        expect(try await demo.scrape(), equals: ledger)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    private func expect(_ metrics: MetricTotals, equals ledger: DemoLedger) {
        expect(metrics, between: ledger, and: ledger)
        #expect(ledger.inFlight.clients.values.allSatisfy { $0 == 0 })
        #expect(ledger.created.count == 7)
        #expect(metrics.values(of: "client", in: "axiom_client_actions_total") == Set(ledger.clients.keys))
        #expect(metrics.values(of: "context", in: "axiom_context_actions_total") == Set(ledger.contexts.keys))
        #expect(
            metrics.values(of: "component", in: "axiom_component_created_total", where: ["kind": "context"])
                == Set(ledger.created.keys)
        )
        for (context, created) in ledger.created {
            let labels = ["kind": "context", "component": context]
            #expect(metrics.total("axiom_component_created_total", labels) == created)
            #expect(metrics.total("axiom_component_lifetime_seconds_count", labels) == created)
            #expect(metrics.total("axiom_component_live", labels) == 0)
            #expect(ledger.alive[context] == 0)
        }
        for (component, presence) in ledger.singletons {
            #expect(metrics.total("axiom_component_created_total", ["component": component]) == presence.created)
            #expect(metrics.total("axiom_component_live", ["component": component]) == presence.alive)
        }
        #expect(metrics.total("axiom_errors_total") == ledger.ended)
        #expect(metrics.total("axiom_client_actions_in_flight") == 0)
        #expect(metrics.total("axiom_component_leak_suspects") == 0)
    }

    private func expect(_ metrics: MetricTotals, between before: DemoLedger, and after: DemoLedger) {
        expect(metrics, "client", before.clients, after.clients, after.inFlight.clients)
        expect(metrics, "context", before.contexts, after.contexts, after.inFlight.contexts)
        for (context, created) in after.created {
            let total = metrics.total("axiom_component_created_total", ["kind": "context", "component": context])
            #expect(total >= before.created[context] ?? 0, "\(context)")
            #expect(total <= created, "\(context)")
        }
        let errors = metrics.total("axiom_errors_total")
        #expect(errors >= before.ended)
        #expect(errors <= after.ended + after.unsettled)
        #expect(metrics.total("axiom_component_live") <= metrics.total("axiom_component_created_total"))
    }

    /// The metrics may have counted an action that is in flight in the ledger.
    private func expect(
        _ metrics: MetricTotals,
        _ kind: String,
        _ before: [String: [String: Double]],
        _ after: [String: [String: Double]],
        _ inFlight: [String: Double]
    ) {
        for (name, outcomes) in after {
            for outcome in Self.outcomes {
                let total = metrics.total("axiom_\(kind)_actions_total", [kind: name, "outcome": outcome])
                let most = outcomes[outcome, default: 0] + inFlight[name, default: 0]
                #expect(total >= before[name]?[outcome] ?? 0, "\(name) \(outcome)")
                #expect(total <= most, "\(name) \(outcome)")
            }
        }
    }
}
#endif
