// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("Quantiles")
struct QuantileTests {
    /// A distribution: bounds, and how many were observed in each bucket, the one without a bound last.
    struct Distribution: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bounds: [Double]
        let counts: [Int]

        init(_ name: String, _ bounds: [Double], _ counts: [Int]) {
            testDescription = name
            self.bounds = bounds
            self.counts = counts
        }

        func snapshot() throws -> HistogramSnapshot {
            let registry = Registry()
            let histogram = try registry.histogram("x", help: "Test.", buckets: Buckets(bounds))
            for (index, count) in counts.enumerated() {
                for _ in 0..<count { histogram.observe(index < bounds.count ? bounds[index] : .infinity) }
            }
            return try #require(registry.collect().series("x")?.histogram)
        }
    }

    static let distributions = [
        Distribution("one", [1], [1, 0]),
        Distribution("everything in +Inf", [0.1, 0.5], [0, 0, 7]),
        Distribution("half in +Inf", [0.1, 0.5], [3, 3, 6]),
        Distribution("negative first bound", [-1, 0, 2], [10, 5, 5, 0]),
        Distribution("everything below a negative bound", [-1, 2], [4, 0, 0]),
        Distribution("a first bound of 0", [0, 2], [4, 4, 0]),
        Distribution("empty buckets between", [1, 2, 3, 4, 5], [50, 0, 0, 0, 50, 0]),
        Distribution("rank exactly at a bound", [1, 2, 3], [50, 49, 1, 0]),
        Distribution("many", [0.001, 0.005, 0.01, 0.1, 1], [123, 457, 890, 12, 3, 1]),
    ]

    @Test(
        "They are those of Prometheus' histogram_quantile",
        .enabled(if: ExternalTool.promtool.mayRun, "\(ExternalTool.promtool.installation)"),
        arguments: distributions
    )
    func prometheus(_ distribution: Distribution) async throws {
        let snapshot = try distribution.snapshot()
        let expected = [0.01, 0.5, 0.9, 0.99].map { quantile in
            (quantile, value(LatencySummary.quantile(quantile, snapshot, distribution.bounds)))
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString).yml")
        defer { try? FileManager.default.removeItem(at: file) }
        try ruleTest(distribution, expected).write(to: file, atomically: true, encoding: .utf8)
        let output = try await ExternalTool.promtool.run(["test", "rules", file.path])
        #expect(output.status == 0, "\(output.output)\(output.errors)")
    }

    @Test("Beyond the last bound all that is known is that bound")
    func beyond() throws {
        let snapshot = try Distribution("", [0.1, 0.5], [0, 1, 99]).snapshot()
        #expect(LatencySummary.quantile(0.5, snapshot, [0.1, 0.5]) == .above(0.5))
        #expect(LatencySummary.Estimate.above(0.5).value > 0.5)
    }

    @Test("Of nothing there is no quantile and no mean")
    func empty() throws {
        let snapshot = try Distribution("", [0.1, 0.5], [0, 0, 0]).snapshot()
        let summary = LatencySummary(snapshot, bounds: [0.1, 0.5])
        #expect(summary.count == 0)
        #expect(summary.mean == nil && summary.p50 == nil && summary.p99 == nil)
    }

    @Test("The mean is the sum over the count")
    func mean() throws {
        let summary = LatencySummary(try Distribution("", [1, 3], [1, 3, 0]).snapshot(), bounds: [1, 3])
        #expect(summary.mean == 2.5)
        #expect(summary.count == 4)
    }

    /// Prometheus gives the last bound where we say that it is exceeded.
    private func value(_ estimate: LatencySummary.Estimate?) -> Double {
        switch estimate {
        case .value(let value), .above(let value): value
        case nil: .nan
        }
    }

    private func ruleTest(_ distribution: Distribution, _ expected: [(Double, Double)]) -> String {
        var total = 0
        var lines = ["evaluation_interval: 1m", "tests:", "  - interval: 1m", "    input_series:"]
        for (index, count) in distribution.counts.enumerated() {
            total += count
            let bound = index < distribution.bounds.count ? "\(distribution.bounds[index])" : "+Inf"
            lines += ["      - series: x_bucket{le=\"\(bound)\"}", "        values: '\(total)'"]
        }
        lines.append("    promql_expr_test:")
        for (quantile, value) in expected {
            lines += [
                "      - expr: histogram_quantile(\(quantile), x_bucket)", "        eval_time: 0m",
                "        exp_samples:", "          - labels: '{}'", "            value: \(value)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
