// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import AxiomTestSupport
import Testing

/// Keeps what was reported.
final class ViolationLog: Sendable {
    private let lines = Lock<[BudgetViolation]>([])
    var violations: [BudgetViolation] { lines.withLock { $0 } }

    func write(_ violation: BudgetViolation) {
        lines.withLock { $0.append(violation) }
    }

    func of(_ budget: PerformanceBudget.ID, _ component: String) -> [BudgetViolation] {
        violations.filter { $0.budget.id == budget && $0.component == component }
    }
}

@Suite("Violations of performance budgets")
@MainActor
struct BudgetViolationTests {
    private func counts(_ app: SampleApp, _ budget: String, _ component: String) -> [Double?] {
        let labels = ["budget": budget, "component": component]
        return ["checks", "violations"].map { app.metrics.value("axiom_budget_\($0)_total", labels) }
    }

    private func component(_ app: SampleApp, _ id: PerformanceBudget.ID, _ name: String) -> BudgetReport.Component? {
        app.telemetry.budgets.report.row(id)?.components.first { $0.name == name }
    }

    @Test("A missed budget is counted, kept with its worst, and logged once per window; a met one is not (LOG-03)")
    func planted() async throws {
        let (time, log) = (ManualTime(), ViolationLog())
        let clock = TimeSource.manual(time)
        let app = try await SampleApp.started(clock: clock, budgets: [.confirm()], onBudgetViolation: log.write)
        let mail = try #require(try await app.mountedHost().context).mail
        let costs = [9, 3, 20, 8, 11, 30, 10, 12]
        for milliseconds in costs {
            async let done: Void = mail.process(.send { try await clock.sleep(for: .milliseconds(milliseconds)) })
            await time.waitForSleepers(1)
            time.advance(by: .milliseconds(milliseconds))
            try await done
        }
        #expect(counts(app, "client_action", "MailClient") == [8, 6])
        #expect(counts(app, "client_action", "TillClient") == [0, 0])
        await app.telemetry.drainBudgetViolations()
        let logged = log.of("client_action", "MailClient")
        #expect(logged.map(\.example.value) == [9_000_000])
        #expect(logged.first?.example.action == "send")
        #expect(logged.first?.limit == .duration(.milliseconds(8)))
        let found = try #require(component(app, "client_action", "MailClient"))
        #expect(found.worst.map(\.value) == [30, 20, 12, 11, 10].map { $0 * 1_000_000 })
        #expect(found.worst.allSatisfy { $0.action == "send" })
        #expect(found.status == .missed)
        #expect(found.level.oneHour.counts == BudgetCounts(checks: 8, violations: 6))
        #expect(abs((found.level.oneHour.burnRate ?? 0) - 15) < 1e-9, "6 of 8 are 15 times the 5 % that are allowed")
    }

    @Test("After a window the next violation is logged, with how many were not")
    func windows() async throws {
        let (time, log) = (ManualTime(), ViolationLog())
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.confirm()],
            onBudgetViolation: log.write
        )
        let mail = try #require(try await app.mountedHost().context).mail
        for _ in 0..<3 {
            for _ in 0..<10 { try await mail.process(.send { time.advance(by: .seconds(1)) }) }
            time.advance(by: .seconds(51))
        }
        await app.telemetry.drainBudgetViolations()
        let logged = log.of("client_action", "MailClient")
        #expect(logged.map(\.unlogged) == [0, 9, 9])
        #expect(logged.map { $0.example.time.nanoseconds / 1_000_000_000 } == [1, 62, 123])
        let line = try #require(logged.last).description
        #expect(
            line.hasSuffix(
                "budget client_action: MailClient.send took 1 s, 8 ms is allowed; 9 more since the last message"
            )
        )
        #if DEBUG
        #expect(line.hasPrefix("warning: "))
        #else
        #expect(line.hasPrefix("error: "))
        #endif
    }

    @Test(
        "Checks and violations are those of a list of all durations, and those of the histogram's buckets",
        arguments: 0..<8
    )
    func reference(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let time = ManualTime()
        // No bound of the histogram: nothing but the comparison can know it.
        let odd = Duration.microseconds(5_300)
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [
                .override("client_action", for: "MailClient", limit: odd),
                .override("client_action", for: "MailClient", action: "misnumbered", limit: .nanoseconds(1)),
            ]
        )
        let context = try #require(try await app.mountedHost().context)
        var (mails, sales): ([Duration], [Duration]) = ([], [])
        for _ in 0..<300 {
            let exponent = Double.random(in: 3...9, using: &random)
            let cost =
                [.milliseconds(8), odd, .nanoseconds(Int(exp10(exponent)))].randomElement(using: &random) ?? .zero
            if Bool.random(using: &random) {
                mails.append(cost)
                try? await context.mail.process(
                    .send {
                        time.advance(by: cost)
                        if cost > .milliseconds(100) { throw Refused() }
                    }
                )
            } else {
                sales.append(cost)
                try await context.till.process(.sell { time.advance(by: cost) })
            }
        }
        #expect(counts(app, "client_action", "MailClient") == [Double(mails.count), Double(mails.count { $0 > odd })])
        let beyond = Double(sales.count { $0 > .milliseconds(8) })
        #expect(counts(app, "client_action", "TillClient") == [Double(sales.count), beyond])
        let labels = ["client": "TillClient", "action": "sell"]
        let family = try #require(app.metrics.family("axiom_client_action_duration_seconds"))
        let bound = try #require(family.definition.buckets.upperBounds.firstIndex(of: 0.008))
        let buckets = try #require(app.metrics.series(family.definition.name, labels)?.histogram?.counts)
        #expect(Double(buckets[(bound + 1)...].reduce(0, +)) == beyond)
        let worst = try #require(component(app, "client_action", "MailClient")).worst.map(\.value)
        let expected = mails.filter { $0 > odd }.sorted(by: >).prefix(5).map(\.clampedNanoseconds)
        #expect(worst == Array(expected))
    }

    @Test("The limit of one action is its own, and an action that is no case has the component's")
    func actions() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.override("context_action", for: "CounterContext", action: "mail", limit: .seconds(2))]
        )
        let context = try #require(try await app.mountedHost().context)
        await context.send(.mail { time.advance(by: .seconds(2)) })
        await context.send(.think { time.advance(by: .seconds(2)) })
        #expect(counts(app, "context_action", "CounterContext") == [2, 1])
        #expect(component(app, "context_action", "CounterContext")?.worst.map(\.action) == ["think"])
        try await context.mail.process(.misnumbered(index: 7))
        #expect(counts(app, "client_action", "MailClient") == [2, 1], "the mail took 2 s; the other took no time")
    }

    @Test("An action that was cancelled is no violation, however long it took")
    func cancelled() async throws {
        let (time, log) = (ManualTime(), ViolationLog())
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.confirm()],
            onBudgetViolation: log.write
        )
        let context = try #require(try await app.mountedHost().context)
        let cancel: @Sendable () throws -> Void = {
            time.advance(by: .seconds(2))
            throw Cancellation.onPurpose
        }
        await #expect(throws: CancellationError.self) { try await context.till.process(.sell(cancel)) }
        await context.send(.sell(cancel))
        await app.telemetry.drainBudgetViolations()
        #expect(counts(app, "client_action", "TillClient") == [2, 0])
        #expect(counts(app, "context_action", "CounterContext") == [1, 0])
        #expect(log.of("client_action", "TillClient") == [] && log.of("context_action", "CounterContext") == [])
        await #expect(throws: Refused.self) {
            try await context.till.process(
                .sell {
                    time.advance(by: .seconds(2))
                    throw Refused()
                }
            )
        }
        #expect(counts(app, "client_action", "TillClient") == [3, 1], "one that failed is a violation")
    }

    @Test("Violations from many threads are counted exactly, and each window logs once")
    func manyThreads() async throws {
        let (time, log) = (ManualTime(start: Instant(nanoseconds: 5)), ViolationLog())
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.add(PerformanceBudget("sync", "Syncs", limit: .milliseconds(1)))],
            onBudgetViolation: log.write
        )
        let performance = app.telemetry.performance
        await performance.measure("sync") { time.advance(by: .seconds(1)) }
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { await performance.measure("sync") { await gate.wait() } } }
            await gate.waitForArrivals(1_000)
            time.advance(by: .seconds(70))
            gate.open()
        }
        #expect(counts(app, "sync", "application") == [1_001, 1_001])
        await app.telemetry.drainBudgetViolations()
        #expect(log.of("sync", "application").count == 2)
    }
}

/// 10 to the power of `exponent`, to the nearest thousandth of it.
private func exp10(_ exponent: Double) -> Double {
    var (result, rest) = (1.0, exponent)
    while rest >= 1 { (result, rest) = (result * 10, rest - 1) }
    return result * (1 + rest * 9)
}
#endif
