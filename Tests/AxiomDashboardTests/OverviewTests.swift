// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Testing

@testable import AxiomDashboard

@Suite("The overview")
struct OverviewTests {
    @Test("Components have their counts, those with leak suspects first")
    func components() throws {
        let metrics = try SampleMetrics()
        metrics.component("context", "Home", created: 5, ended: 3, suspects: 1, lived: 2)
        metrics.component("client", "Cart", created: 1, ended: 0)
        let rows = Overview(metrics.snapshot).components
        #expect(rows.map(\.name) == ["Home", "Cart"])
        #expect(rows.map(\.live) == [2, 1])
        #expect(rows.map(\.created) == [5, 1])
        #expect(rows.map(\.ended) == [3, 0])
        #expect(rows.map(\.leakSuspects) == [1, 0])
        #expect(rows.map(\.lifetime.mean) == [2, nil])
    }

    @Test("Actions come slowest first, beyond the last bound before all, and names decide among equals")
    func actions() throws {
        let metrics = try SampleMetrics()
        metrics.action("client", "B", "same", ["success": 1], seconds: 0.004)
        metrics.action("context", "A", "same", ["success": 1], seconds: 0.004)
        metrics.action("client", "Cart", "slow", ["success": 1], seconds: 0.9)
        metrics.action("client", "Cart", "endless", ["failure": 1], seconds: 30)
        metrics.action("client", "Cart", "unused", [:], seconds: 0)
        #expect(
            Overview(metrics.snapshot).actions.map { "\($0.kind) \($0.component) \($0.action)" } == [
                "client Cart endless", "client Cart slow", "context A same", "client B same",
            ]
        )
    }

    @Test(
        "The error rate is that of the calls that succeeded or failed",
        arguments: [
            (["success": 3, "failure": 1], 0.25), (["success": 3, "failure": 1, "cancelled": 9, "rejected": 9], 0.25),
            (["failure": 2], 1), (["success": 2], 0), (["cancelled": 4], nil), (["rejected": 4], nil),
        ] as [([String: UInt64], Double?)]
    )
    func errorRate(_ outcomes: [String: UInt64], _ rate: Double?) throws {
        let metrics = try SampleMetrics()
        metrics.action("client", "Cart", "add", outcomes, seconds: 0.1)
        let row = try #require(Overview(metrics.snapshot).actions.first)
        #expect(row.errorRate == rate)
        #expect(row.total == Double(outcomes.values.reduce(0, +)))
    }

    @Test("Errors come most frequent first, and those that never happened not at all")
    func errors() throws {
        let metrics = try SampleMetrics()
        metrics.error("A", "RARE", count: 1)
        metrics.error("B", "OFTEN", "critical", count: 9)
        metrics.error("C", "NEVER", count: 0)
        metrics.error("A", "ALSO_RARE", count: 1)
        #expect(Overview(metrics.snapshot).errors.map(\.code) == ["OFTEN", "ALSO_RARE", "RARE"])
    }

    @Test("An empty registry gives an empty overview")
    func empty() {
        let overview = Overview(Registry().collect())
        #expect(overview.components.isEmpty && overview.actions.isEmpty && overview.errors.isEmpty)
        #expect(overview.build.isEmpty && overview.problems.isEmpty && overview.isInstrumented)
    }
}
