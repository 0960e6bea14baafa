// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The problems of the page as a metric", .timeLimit(.minutes(10)))
struct ActiveProblemsTests {
    /// The series on the metrics page of an application, such as `{kind="error",component="Saw",cause="Broken"} 2`.
    private func series(_ telemetry: Telemetry) -> Set<String> {
        let (page, name) = (telemetry.registry.collect(), "axiom_problem_active")
        #expect(page.problems.isEmpty)
        let lines = page.text.split(separator: "\n").filter { $0.hasPrefix(name + "{") }
        return Set(lines.map { String($0.dropFirst(name.count)) })
    }

    /// The problems of the page that last and follow from no other one.
    private func shown(_ workshop: Workshop) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.values.filter {
            $0["ended"]?.number == nil && $0["cause"]?.number == nil && $0["kind"]?.string != "note"
        }
    }

    @Test("While no page is open there is a series for each problem that follows from no other one, until it has ended")
    func outage() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.dashboard.start()
        workshop.tick()
        #expect(series(workshop.telemetry).isEmpty)
        for _ in 0..<6 { await workshop.work(0, .broken) }
        for _ in 0..<10 { workshop.tick() }
        #expect(series(workshop.telemetry) == [#"{kind="error",component="Saw",cause="Broken"} 2"#])
        for _ in 0..<600 { workshop.tick() }
        #expect(series(workshop.telemetry).isEmpty)
        workshop.dashboard.stop()
    }

    @Test("The series are there from the start of a dashboard to its stop, or its end")
    func registration() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<6 { await workshop.work(0, .broken) }
        workshop.tick()
        #expect(try shown(workshop).count == 1)
        #expect(series(workshop.telemetry).isEmpty)
        workshop.dashboard.start()
        workshop.dashboard.start()
        #expect(series(workshop.telemetry).count == 1)
        workshop.dashboard.stop()
        #expect(series(workshop.telemetry).isEmpty)
        do {
            let other = Dashboard(telemetry: workshop.telemetry, name: "Other")
            other.start()
            other.sample()
            _ = other.snapshot()
            #expect(series(workshop.telemetry).count == 1)
        }
        #expect(series(workshop.telemetry).isEmpty)
    }

    @Test("Whatever happens, the page and the metric have the same problems", arguments: 0..<8)
    func same(_ run: Int) async throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let workshop = try Workshop(["Saw", "Plane", "Drill"], budgets: [.confirm("client_action")])
        workshop.dashboard.start()
        for step in 0..<60 {
            await workshop.bustle(&random, Int.random(in: 0..<6, using: &random))
            for _ in 0..<Int.random(in: 1...30, using: &random) { workshop.tick() }
            let rows = try shown(workshop)
            let found = series(workshop.telemetry)
            // Problems with the same kind, component and cause are one series.
            #expect(
                found.isEmpty == rows.isEmpty && found.count <= rows.count,
                "seed \(seed), run \(run), step \(step)"
            )
            let worst = rows.contains { $0["kind"]?.string == "bad" }
            #expect(found.contains { $0.hasSuffix(" 2") } == worst, "seed \(seed), run \(run), step \(step)")
            guard found.isEmpty == rows.isEmpty else { return }
        }
        workshop.dashboard.stop()
    }

    @Test("Each kind of problem has a panel of its own, but for what components as a whole do")
    func kinds() {
        let panels = ProblemKind.allCases.map(\.panel)
        let whole: Set<ProblemKind> = [.failing, .slow, .growth, .silence, .retries]
        #expect(Set(panels).count == panels.count - whole.count + 1)
        #expect(Set(whole.map(\.panel)) == ["components"])
    }
}
#endif
