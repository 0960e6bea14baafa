// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Testing

@testable import AxiomBenchmarking

@Suite("How a report ends")
struct ExitStatusTests {
    /// The verdicts of a report, and the exit status that follows.
    struct Case: Sendable, CustomTestStringConvertible {
        let kinds: [Verdict.Kind]
        let status: AxiomBenchmarking.ExitStatus
        var mode = "revision"
        var strictness = Strictness.normal
        var allowRemoved = false
        var judged = 1

        var testDescription: String { "\(kinds.map(\.description)) \(mode) \(strictness) \(allowRemoved) \(judged)" }
    }

    private static let cases: [Case] = [
        Case(kinds: [.ok, .improved, .added, .information], status: .success),
        Case(kinds: [.ok], status: .inconclusive, judged: 0),
        Case(kinds: [.ok], status: .success, strictness: .lenient, judged: 0),
        Case(kinds: [.ok], status: .success, mode: "solo", judged: 0),
        Case(kinds: [.regressed, .insufficient, .ok], status: .regression),
        Case(kinds: [.regressed], status: .regression, strictness: .lenient),
        Case(kinds: [.missed], status: .regression, mode: "goals"),
        Case(kinds: [.crashed, .regressed], status: .crashed),
        Case(kinds: [.crashed, .regressed], status: .crashed, strictness: .lenient),
        Case(kinds: [.removed], status: .regression),
        Case(kinds: [.removed], status: .success, allowRemoved: true),
        Case(kinds: [.lost, .ok], status: .inconclusive),
        Case(kinds: [.lost, .ok], status: .success, strictness: .lenient),
        Case(kinds: [.insufficient, .ok], status: .inconclusive),
        Case(kinds: [.insufficient, .ok], status: .inconclusive, strictness: .strict),
        Case(kinds: [.insufficient, .ok], status: .success, strictness: .lenient),
        Case(kinds: [.insufficient, .ok], status: .success, mode: "goals"),
        Case(kinds: [.insufficient, .ok], status: .inconclusive, mode: "goals", strictness: .strict),
        Case(kinds: [.incomparable, .ok], status: .success),
        Case(kinds: [.incomparable, .ok], status: .inconclusive, strictness: .strict),
        Case(kinds: [.incomparable, .ok], status: .success, strictness: .lenient),
    ]

    @Test("The worst verdict decides, and the strictness decides about doubt", arguments: cases)
    func status(_ wanted: Case) {
        var report = Report()
        report.mode = wanted.mode
        report.coverage.judged = wanted.judged
        report.findings = wanted.kinds.map { Report.FindingReport(ComparisonFinding("b", .wall, $0), nil) }
        let status = AxiomBenchmarking.ExitStatus(
            report,
            strictness: wanted.strictness,
            allowRemoved: wanted.allowRemoved
        )
        #expect(status == wanted.status)
    }

    @Test("Wrong use, a baseline that cannot be read, and everything else that fails have codes of their own")
    func errors() {
        #expect(SuiteProgram.status(.usage) == .usage)
        #expect(SuiteProgram.status(.baseline) == .baseline)
        for code in [BenchmarkError.Code.crashed, .buildFailed, .system] {
            #expect(SuiteProgram.status(code) == .crashed)
        }
    }

    @Test("A report counts the benchmarks that data decided about, and names those that only one build has")
    func coverage() {
        var builder = ReportBuilder([], RunSettings(), mode: "revision")
        builder.addCoverage(baseline: ["a", "b", "c"], current: ["b", "c", "d", "e"])
        builder.add([
            ComparisonFinding("b", .wall, .ok), ComparisonFinding("b", .cpu, .regressed),
            ComparisonFinding("c", .wall, .insufficient), ComparisonFinding("c", .cpu, .incomparable),
        ])
        let report = builder.finish(seconds: 1)
        #expect(report.coverage.judged == 1 && report.coverage.of == 5)
        #expect(report.coverage.removed == ["a"] && report.coverage.added == ["d", "e"])
        #expect(report.findings(.removed).map(\.benchmark) == ["a"])
        #expect(report.findings(.added).map(\.benchmark) == ["d", "e"])
    }
}
