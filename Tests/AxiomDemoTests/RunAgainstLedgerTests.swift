// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import AxiomInstrumentation
import AxiomMetrics
import Testing

@testable import shop_oracle

#if Instrumented
@Suite("The metrics against the ledger", .serialized)
@MainActor
struct RunAgainstLedgerTests {
    /// Runs a short load at full speed, and returns the metrics and the ledger after it.
    private func run(
        _ faults: FaultMode,
        steps: Int = 800,
        breakers: BreakerMode = .on
    ) async throws -> (metrics: Snapshot, ledger: LedgerReport) {
        let telemetry = try Telemetry(breakers: breakers.rules, onBudgetViolation: { _ in }, detail: .full)
        let options = ["--rate", "100000", "--seed", "7", "--faults", "\(faults)"]
        let run = try CountedRun(.parse(options), instrumentation: telemetry)
        try await run.start()
        try await run.load(.steps(steps))
        let result = (telemetry.registry.collect(), run.ledger.report)
        try await run.shutdown()
        return result
    }

    @Test("After the load every total equals the ledger exactly", arguments: FaultMode.allCases)
    func equality(_ faults: FaultMode) async throws {
        let (metrics, ledger) = try await run(faults)
        expectActions("axiom_client_actions_total", label: "client", ledger.clients, metrics)
        expectActions("axiom_context_actions_total", label: "context", ledger.contexts, metrics)
        expectComponents(ledger, metrics)
        #expect(metrics.total("axiom_errors_total") == Double(ledger.errors + ledger.rejections.shown))
        expectBreakers(ledger, metrics)
        #expect(metrics.total("axiom_client_actions_in_flight") == 0)
        #expect(ledger.inFlight.clients.values.allSatisfy { $0 == 0 })
        #expect(ledger.inFlight.contexts.values.allSatisfy { $0 == 0 })
        #expect(metrics.problems.isEmpty)
    }

    @Test("Every context type is used, and is back at 0 live")
    func nothingStays() async throws {
        let (metrics, ledger) = try await run(.none)
        #expect(ledger.created.count == 7)
        #expect(ledger.created.values.allSatisfy { $0 > 0 })
        #expect(ledger.alive.values.allSatisfy { $0 == 0 })
        #expect(metrics.total("axiom_component_live", where: ["kind": "context"]) == 0)
        #expect(metrics.total("axiom_component_live", where: ["kind": "presentation"]) == 0)
        #expect(metrics.total("axiom_component_live", where: ["kind": "client"]) == 5)
    }

    @Test(
        "Each fault that is served in a storm has exactly one fate, and so has each refused call",
        arguments: BreakerMode.allCases
    )
    func conservation(_ breakers: BreakerMode) async throws {
        let (_, ledger) = try await run(.storm, steps: 1_200, breakers: breakers)
        let refused = ledger.clients.values.reduce(0) { $0 + $1.rejected }
        #expect(refused == ledger.rejections.total)
        #expect((refused > 0) == (breakers == .on))
        #expect((ledger.rejections.recovered > 0) == (breakers == .on))
        #expect(ledger.upstream.faults > 0)
        #expect(ledger.errors > 0)
        #expect(ledger.recovered > 0)
        #expect(ledger.inFlight.faults == 0)
        #expect(ledger.upstream.faults == ledger.errors + ledger.recovered + ledger.cancelled)
        #expect(ledger.upstream.requests > ledger.upstream.faults)
        #expect(ledger.upstream.stormyRequests >= ledger.upstream.faults)
        #expect(ledger.orders.placed > 0)
        #expect(ledger.orders.applied >= ledger.orders.placed)
        #expect((ledger.orders.waiting, ledger.orders.doubled, ledger.orders.rekeyed) == (0, 0, 0))
    }

    @Test("Without faults nothing fails, and cancelled actions count as cancelled")
    func calm() async throws {
        let (_, ledger) = try await run(.none)
        #expect(ledger.upstream.faults == 0)
        #expect(ledger.errors == 0)
        #expect(ledger.clients.values.allSatisfy { $0.failure == 0 && $0.rejected == 0 })
        #expect(ledger.contexts.values.contains { $0.cancelled > 0 })
        #expect(ledger.orders.placed > 0)
        #expect(ledger.orders.received == ledger.orders.applied)
    }

    @Test("During the load each total lies between the readings of the ledger before and after it")
    func bounds() async throws {
        let telemetry = try Telemetry(breakers: BreakerMode.on.rules, onBudgetViolation: { _ in }, detail: .full)
        let run = try CountedRun(
            .parse(["--rate", "100000", "--seed", "3", "--faults", "storm"]),
            instrumentation: telemetry
        )
        try await run.start()
        let (ledger, registry) = (run.ledger, telemetry.registry)
        let reader = Task.detached {
            var (readings, violations) = (0, [String]())
            while !Task.isCancelled {
                let before = await ledger.report
                let metrics = registry.collect()
                violations += Bounds(before: before, after: await ledger.report).violations(of: metrics)
                readings += 1
                await Task.yield()
            }
            return (readings, violations)
        }
        try await run.load(.steps(2_400))
        reader.cancel()
        let (readings, violations) = await reader.value
        try await run.shutdown()
        #expect(readings > 10)
        #expect(violations.isEmpty)
    }

    // MARK: - Comparisons

    private func expectActions(_ family: String, label: String, _ rows: [String: Outcomes], _ metrics: Snapshot) {
        for (name, outcomes) in rows {
            for (outcome, count) in outcomes.byName {
                let total = metrics.total(family, where: [label: name, "outcome": outcome])
                #expect(total == Double(count), "\(name) \(outcome)")
            }
        }
        // There are no actions of a component that the ledger does not know.
        #expect(metrics.total(family) == Double(rows.values.reduce(0) { $0 + $1.total }))
    }

    /// Each client's breaker has counted the calls of the client that the ledger has counted.
    private func expectBreakers(_ ledger: LedgerReport, _ metrics: Snapshot) {
        for (client, outcomes) in ledger.clients {
            for (outcome, count) in outcomes.byName {
                let total = metrics.value("axiom_circuit_calls_total", ["breaker": client, "outcome": outcome])
                #expect(total == Double(count), "\(client) \(outcome)")
            }
            #expect(metrics.value("axiom_circuit_calls_in_flight", ["breaker": client]) == 0)
        }
    }

    private func expectComponents(_ ledger: LedgerReport, _ metrics: Snapshot) {
        for (context, created) in ledger.created {
            expectComponent("context", context, created: created, live: ledger.alive[context] ?? 0, metrics)
        }
        for (name, presence) in ledger.singletons {
            let kind = name.hasSuffix("Client") ? "client" : "capability"
            expectComponent(kind, name, created: presence.created, live: presence.alive, metrics)
        }
        for (view, counts) in ledger.mounts {
            let live = counts.mounted - counts.unmounted
            expectComponent("presentation", view, created: counts.mounted, live: live, metrics)
        }
    }

    private func expectComponent(_ kind: String, _ name: String, created: Int, live: Int, _ metrics: Snapshot) {
        let labels = ["kind": kind, "component": name]
        #expect(metrics.value("axiom_component_created_total", labels) == Double(created), "\(name)")
        #expect(metrics.value("axiom_component_destroyed_total", labels) == Double(created - live), "\(name)")
        #expect(metrics.value("axiom_component_live", labels) == Double(live), "\(name)")
    }
}

/// The ledger before and after the metrics were read.
private struct Bounds {
    let before: LedgerReport
    let after: LedgerReport

    /// The totals that are out of bounds.
    func violations(of metrics: Snapshot) -> [String] {
        actions("axiom_client_actions_total", "client", before.clients, after.clients, after.inFlight.clients, metrics)
            + actions(
                "axiom_context_actions_total",
                "context",
                before.contexts,
                after.contexts,
                after.inFlight.contexts,
                metrics
            )
            + before.created.compactMap { context, least in
                let labels = ["kind": "context", "component": context]
                let total = metrics.value("axiom_component_created_total", labels) ?? -1
                return check("\(context) created", least, total, after.created[context] ?? 0)
            }
            + [check("errors", before.ended, metrics.total("axiom_errors_total"), after.ended + after.unsettled)]
            .compactMap(\.self)
    }

    private func actions(
        _ family: String,
        _ label: String,
        _ before: [String: Outcomes],
        _ after: [String: Outcomes],
        _ inFlight: [String: Int],
        _ metrics: Snapshot
    ) -> [String] {
        var totals: [String: Double] = [:]
        for series in metrics.family(family).map(Array.init) ?? [] {
            totals["\(series.labels[label]) \(series.labels["outcome"])", default: 0] += series.value
        }
        return before.flatMap { party, outcomes in
            outcomes.byName.compactMap { outcome, least in
                let most = (after[party]?.byName[outcome] ?? 0) + (inFlight[party] ?? 0)
                return check("\(party) \(outcome)", least, totals["\(party) \(outcome)"] ?? -1, most)
            }
        }
    }

    private func check(_ what: String, _ least: Int, _ total: Double, _ most: Int) -> String? {
        Double(least) <= total && total <= Double(most) ? nil : "\(what) is \(total), not in \(least)...\(most)"
    }
}

extension LedgerReport {
    /// Errors that ended at boundaries.
    fileprivate var ended: Int { errors + rejections.shown }

    /// Errors whose fate the ledger does not know yet: of requests with a fault, and of refused calls.
    fileprivate var unsettled: Int {
        inFlight.faults + clients.values.reduce(0) { $0 + $1.rejected } - rejections.total
    }
}

extension Outcomes {
    fileprivate var byName: [String: Int] {
        ["success": success, "failure": failure, "cancelled": cancelled, "rejected": rejected]
    }
}
#endif
