// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import Axiom
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

/// Calls that the test made, counted without Axiom.
private final class Ledger: Sendable {
    let calls = Lock<[String: Double]>([:])

    func note(_ outcome: String) {
        calls.withLock { $0[outcome, default: 0] += 1 }
    }
}

/// What has to hold on every page, and from one page to the next.
private struct PageInvariants {
    private var previous: [String: Double] = [:]
    private(set) var pages = 0

    mutating func check(_ metrics: Snapshot) {
        pages += 1
        #expect(metrics.problems.isEmpty)
        checkCensus(metrics)
        checkGrowth(metrics)
        let inFlight = metrics.family("axiom_client_actions_in_flight").map { $0.map(\.value) } ?? []
        #expect(inFlight.allSatisfy { (0...8).contains($0) })
    }

    private func checkCensus(_ metrics: Snapshot) {
        for live in metrics.family("axiom_component_live").map(Array.init) ?? [] {
            let (kind, name) = (live.labels["kind"], live.labels["component"])
            let created = metrics.component("created_total", kind, name) ?? .nan
            let destroyed = metrics.component("destroyed_total", kind, name) ?? .nan
            #expect(created == destroyed + live.value, "\(kind) \(name)")
            #expect(live.value >= 0, "\(kind) \(name)")
        }
    }

    private mutating func checkGrowth(_ metrics: Snapshot) {
        var current: [String: Double] = [:]
        for family in metrics.families where family.definition.kind == .counter || family.definition.kind == .histogram
        {
            for series in family { current["\(family.definition.name)\(series.labels)"] = series.value }
        }
        for (series, value) in previous { #expect(current[series, default: -1] >= value, "\(series) went back") }
        previous = current
    }
}

@Suite("Conservation")
struct ConservationTests {
    private static let tasks = 8
    private static let rounds = 60

    @Test("While eight tasks mount, call and unmount, every page is consistent, and at the end all events are counted")
    func conservation() async throws {
        let app = try await SampleApp.started()
        let ledger = Ledger()
        let scraper = Task.detached {
            var invariants = PageInvariants()
            repeat {
                invariants.check(app.metrics)
                await Task.yield()
            } while !Task.isCancelled
            invariants.check(app.metrics)
            return invariants.pages
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<Self.tasks {
                group.addTask { try await Self.work(app, seed, ledger) }
            }
            try await group.waitForAll()
        }
        scraper.cancel()
        #expect(await scraper.value > 2)
        await check(app, against: ledger)
    }

    private static func work(_ app: SampleApp, _ seed: Int, _ ledger: Ledger) async throws {
        for round in 0..<rounds {
            let host = try await app.mountedHost()
            let mail = try #require(await host.context?.mail)
            for call in 0..<3 {
                do {
                    switch (seed + round + call) % 3 {
                    case 0: try await mail.process(.send {})
                    case 1: try await mail.process(.send { throw Refused() })
                    default: try await mail.process(.send { throw Cancellation.onPurpose })
                    }
                    ledger.note("success")
                } catch is CancellationError {
                    ledger.note("cancelled")
                } catch {
                    ledger.note("failure")
                }
            }
            await host.context?.send(.sell {})
            await host.unmount()
        }
    }

    @MainActor
    private func check(_ app: SampleApp, against ledger: Ledger) {
        let metrics = app.metrics
        let mounts = Double(Self.tasks * Self.rounds)
        var expected = ledger.calls.withLock { $0 }
        #expect(expected.values.reduce(0, +) == mounts * 3)
        expected["rejected"] = 0
        #expect(metrics.outcomes(client: "MailClient", "send") == expected)
        #expect(metrics.outcomes(client: "TillClient", "sell")["success"] == mounts)
        #expect(metrics.total("axiom_client_actions_in_flight") == 0)
        for (kind, name) in [
            ("context", "CounterContext"), ("context", "ReceiptContext"), ("presentation", "CounterView"),
        ] {
            #expect(metrics.component("created_total", kind, name) == mounts)
            #expect(metrics.component("live", kind, name) == 0)
            #expect(metrics.component("lifetime_seconds", kind, name) == mounts)
        }
        #expect(metrics.total("axiom_errors_total") == 0, "calls that no context made end at no boundary")
    }
}
#endif
