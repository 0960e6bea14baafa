// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Testing

@Suite("Profiling")
@MainActor
struct ProfilingTests {
    @Test("A measurement is recorded when it ends, once, and what a body takes whether it throws or not")
    func monitor() async throws {
        let time = ManualTime()
        let monitor = PerformanceMonitor(clock: .manual(time))
        let token = monitor.startMeasurement(label: "load")
        time.advance(by: .milliseconds(40))
        #expect(monitor.endMeasurement(token) == .milliseconds(40))
        #expect(monitor.endMeasurement(token) == nil)
        let answer = await monitor.measure("load") {
            time.advance(by: .milliseconds(20))
            return 7
        }
        #expect(answer == 7)
        await #expect(throws: Refused.self) {
            try await monitor.measure("save") {
                time.advance(by: .milliseconds(5))
                throw Refused()
            }
        }
        let summaries = monitor.summaries
        #expect(summaries["load"]?.count == 2)
        #expect(abs((summaries["load"]?.mean ?? 0) - 0.03) < 1e-9)
        #expect(summaries["save"]?.count == 1)
    }

    @Test("A measurement of another monitor is not ended, and neither is one's own by it")
    func foreignToken() {
        let (one, other) = (PerformanceMonitor(), PerformanceMonitor())
        let (own, foreign) = (one.startMeasurement(label: "own"), other.startMeasurement(label: "foreign"))
        #expect(one.endMeasurement(foreign) == nil)
        #expect(one.endMeasurement(own) != nil)
        #expect(other.endMeasurement(foreign) != nil)
        #expect(one.summaries.keys.sorted() == ["own"])
    }

    @Test("A harness of more runs than memory holds begins all the same")
    func manyRuns() async {
        var runs = 0
        await #expect(throws: Refused.self) {
            try await PerformanceHarness(warmup: 0, iterations: .max).run {
                runs += 1
                if runs > 3 { throw Refused() }
            }
        }
        #expect(runs == 4)
    }

    @Test("Names beyond the limit share a row, and none is lost")
    func manyNames() {
        let profiler = PerformanceProfiler()
        for index in 0..<1_000 { profiler.record(.milliseconds(1), as: "\(index)") }
        #expect(profiler.report.count == 201)
        #expect(profiler.report["_overflow"]?.count == 800)
        #expect(profiler.report.values.reduce(0) { $0 + $1.count } == 1_000)
    }

    @Test("The profiler measures an operation, also one that fails, and returns its value")
    func measured() async throws {
        let time = ManualTime()
        let profiler = PerformanceProfiler(clock: .manual(time))
        let value = await profiler.measure("load") {
            time.advance(by: .milliseconds(20))
            return 7
        }
        #expect(value == 7)
        await #expect(throws: Refused.self) {
            try await profiler.measure("load") {
                time.advance(by: .milliseconds(40))
                throw Refused()
            }
        }
        let summary = try #require(profiler.report["load"])
        #expect(summary.count == 2)
        #expect(abs(summary.mean - 0.03) < 1e-12)
    }

    @Test("The profiler's percentiles are those of a sorted list, within the stated error", arguments: 0..<10)
    func profiler(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let profiler = PerformanceProfiler()
        let samples = (0..<997).map { _ in Int64.random(in: 1_000...10_000_000, using: &random) }
        for sample in samples { profiler.record(.nanoseconds(sample), as: "x") }
        let summary = try #require(profiler.report["x"])
        let exact = PerformanceRun(nanoseconds: samples)
        #expect(summary.count == 997)
        #expect(abs(summary.mean - exact.mean) < 1e-12)
        for (found, quantile) in [(summary.median, 0.5), (summary.p95, 0.95), (summary.p99, 0.99)] {
            let expected = exact.quantile(quantile)
            #expect(abs(found - expected) <= summary.relativeError * expected * 1.000_001)
        }
    }

    @Test("A budget of the application's own is checked under its label, and other labels are not budgets")
    func ownBudget() async throws {
        let time = ManualTime()
        let budget = PerformanceBudget("sync", "Syncs", limit: .milliseconds(10), statistic: .every)
        let telemetry = try Telemetry(
            budgets: [.add(budget)],
            onBudgetViolation: { _ in },
            detail: .full,
            clock: .manual(time)
        )
        let labels = ["budget": "sync", "component": "application"]
        #expect(telemetry.registry.collect().value("axiom_budget_checks_total", labels) == 0)
        #expect(telemetry.budgets.report.row("sync")?.status == .notMeasured)
        for label in ["sync", "sync", "other", "client_action"] {
            await telemetry.performance.measure(label) { time.advance(by: .milliseconds(10)) }
        }
        #expect(telemetry.budgets.report.row("sync")?.status == .met)
        await telemetry.performance.measure("sync") { time.advance(by: .milliseconds(11)) }
        #expect(telemetry.budgets.report.row("sync")?.status == .missed)
        #expect(telemetry.registry.collect().value("axiom_budget_checks_total", labels) == 3)
        #expect(telemetry.registry.collect().value("axiom_budget_violations_total", labels) == 1)
        #expect(telemetry.budgets.report.row("client_action")?.status == .notMeasured)
    }

    #if Instrumented
    @Test("The numbers of the specification's PerformanceMetrics exist after the first measurement")
    func metrics() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        #expect(app.telemetry.performance.metrics.averageActionProcessingTime == nil)
        let context = try #require(try await app.mountedHost().context)
        await context.send(.think { time.advance(by: .milliseconds(30)) })
        await context.send(.think { time.advance(by: .milliseconds(10)) })
        let metrics = app.telemetry.performance.metrics
        #expect(abs((metrics.averageActionProcessingTime ?? 0) - 0.02) < 1e-9)
        #expect(metrics.averageNavigationTime == nil)
        #expect(metrics.memoryFootprint.map { $0 > 1_000_000 } != false)
    }

    @Test("A context that is kept after its unmount is a potential leak with its name")
    func leaks() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time), leakThreshold: .seconds(1))
        let profiler = try #require(MemoryProfiler(app.telemetry))
        var kept: CounterContext?
        let leaks = try await profiler.potentialLeaks(threshold: .max) {
            let host = try await app.mountedHost()
            kept = host.context
            await host.unmount()
            time.advance(by: .seconds(2))
        }
        #expect(leaks.compactMap(\.component) == ["CounterContext", "ReceiptContext"])
        #expect(leaks.allSatisfy { $0.instances == 1 })
        #expect(kept != nil)
    }

    @Test("The search for leaks does not collect the registry")
    func collections() async throws {
        let app = try await SampleApp.started()
        let collector = CountingCollector()
        app.telemetry.registry.register(collector)
        let profiler = try #require(MemoryProfiler(app.telemetry))
        _ = await profiler.potentialLeaks(threshold: .max) {}
        #expect(collector.collections == 0)
    }
    #endif

    @Test("Memory that is kept shows as growth")
    func growth() async throws {
        guard let profiler = MemoryProfiler() else { return }
        var kept: [UInt8] = []
        let leaks = await profiler.potentialLeaks { kept = [UInt8](repeating: 1, count: 64 << 20) }
        #expect(leaks.count == 1)
        #expect((leaks.first?.bytes ?? 0) > 32 << 20)
        #expect((profiler.snapshot("after")?.growth ?? 0) > 32 << 20)
        #expect(kept.count == 64 << 20)
    }

    @Test("The harness measures every run but the first ones, and holds them against a budget")
    func harness() async throws {
        let time = ManualTime()
        var runs = 0
        let harness = PerformanceHarness(warmup: 5, iterations: 100, clock: .manual(time))
        let run = await harness.run {
            runs += 1
            time.advance(by: .milliseconds(runs <= 5 ? 1_000 : runs == 50 ? 9 : 7))
        }
        #expect(runs == 105 && run.nanoseconds.count == 100)
        #expect(run.quantile(0.5) == 0.007 && run.quantile(1) == 0.009 && run.quantile(2).isNaN)
        let budgets = PerformanceBudget.specification
        #expect(run.status(against: try #require(budgets.first { $0.id == "client_action" })) == .met)
        #expect(run.status(against: try #require(budgets.first { $0.id == "state_observation" })) == .missed)
        #expect(run.status(against: try #require(budgets.first { $0.id == "client_memory" })) == .notMeasured)
        #expect(abs(run.slowdown(since: PerformanceRun(nanoseconds: [5_000_000])) - 0.4) < 1e-9)
    }
}

/// Counts how often the registry is collected.
private final class CountingCollector: Collector {
    private let count = Lock(0)

    var collections: Int { count.withLock { $0 } }

    func collect() -> [CollectedFamily] {
        count.withLock { $0 += 1 }
        return []
    }
}
