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

        /// A registry with a histogram of this distribution.
        func snapshot() throws -> HistogramSnapshot {
            let registry = Registry()
            let histogram = try registry.histogram("x", help: "Test.", buckets: Buckets(bounds))
            for (index, count) in counts.enumerated() {
                for _ in 0..<count { histogram.observe(index < bounds.count ? bounds[index] : .infinity) }
            }
            return try #require(registry.collect().family("x")?.first?.histogram)
        }

        func quantiles() throws -> HistogramQuantiles {
            HistogramQuantiles(try snapshot().counts, bounds: bounds)
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
        let quantiles = try distribution.quantiles()
        let expected = [0.01, 0.5, 0.9, 0.99].map { ($0, quantiles.quantile($0) ?? .nan) }
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString).yml")
        defer { try? FileManager.default.removeItem(at: file) }
        try ruleTest(distribution, expected).write(to: file, atomically: true, encoding: .utf8)
        let output = try await ExternalTool.promtool.run(["test", "rules", file.path])
        #expect(output.status == 0, "\(output.output)\(output.errors)")
    }

    @Test("Of an empty histogram there is no quantile")
    func empty() throws {
        let quantiles = try Distribution("", [0.1, 0.5], [0, 0, 0]).quantiles()
        #expect(quantiles.total == 0)
        #expect(quantiles.quantile(0.5) == nil)
        #expect(quantiles.float(0.5).isNaN)
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
