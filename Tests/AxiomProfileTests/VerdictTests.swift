// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomProfile
import Foundation
import Testing

@Suite("Reports of performance and pairs of runs")
struct VerdictTests {
    private static func report(_ averages: [MetricType: Double]) -> PerformanceReport {
        PerformanceReport(
            metrics: averages.mapValues { MetricSummary(count: 1, average: $0, median: $0, p95: $0, p99: $0) }
        )
    }

    @Test("A metric whose average grew by more than the threshold gives a warning, in the order of the names")
    func regressions() {
        let baseline = Self.report(["b": 100, "a": 10, "same": 5, "edge": 8, "faster": 10, "gone": 1])
        let current = Self.report(["b": 125, "a": 11.2, "same": 5, "edge": 9, "faster": 5, "new": 1])
        let warnings = PerformanceRegression.detectRegressions(current: current, baseline: baseline)
        #expect(warnings.map(\.metric) == ["a", "b", "edge"])
        let last = warnings[1]
        #expect(last.baselineAverage == 100 && last.currentAverage == 125 && last.regressionPercent == 25)
        #expect(last.description == "b grew by 25.0 %, from 100.0 to 125.0")
        let tolerant = PerformanceRegression.detectRegressions(current: current, baseline: baseline, threshold: 0.125)
        #expect(tolerant.map(\.metric) == ["b"])
    }

    @Test("Growth from 0 gives a warning, an unchanged 0 gives none, and a NaN threshold warns of all")
    func zeros() {
        let baseline = Self.report(["a": 0, "b": 0, "c": 1])
        let current = Self.report(["a": 1, "b": 0, "c": 1])
        let warnings = PerformanceRegression.detectRegressions(current: current, baseline: baseline)
        #expect(warnings.map(\.metric) == ["a"])
        #expect(warnings.first?.regressionPercent == .infinity)
        let all = PerformanceRegression.detectRegressions(current: current, baseline: baseline, threshold: .nan)
        #expect(all.map(\.metric) == ["a", "c"])
    }

    @Test("A summary describes its measurements")
    func summary() throws {
        let summary = try MetricSummary((1...100).map(Double.init))
        #expect(summary == MetricSummary(count: 100, average: 50.5, median: 50.5, p95: 95, p99: 99))
        #expect(throws: ProfileError.self) { try MetricSummary([]) }
    }

    @Test("Too few pairs for the level are refused, because they could never fail")
    func tooFewPairs() throws {
        #expect(throws: ProfileError.self) { try PairedComparison(logRatios: [1, 1, 1], alpha: 0.01) }
        let ratios = [0.05, 0.06, 0.04, 0.05, 0.05, 0.07, 0.03]
        let comparison = try PairedComparison(logRatios: ratios, alpha: 0.01)
        #expect(comparison.pValue == 1.0 / 128)
        #expect(comparison.shift.value == 0.05 && comparison.shift.contains(0.04))
    }
}
