// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Reports")
struct ReportTests {
    /// A report with hostile names and each verdict.
    private var report: Report {
        var builder = ReportBuilder([], RunSettings(), mode: "file")
        let id = "suite/<a> & \"b\" | `c`,\u{1}"
        builder.report.benchmarks = [Report.BenchmarkReport(id: id)]
        builder.add(id, "wall", unit: "ns/iter", kind: "noisy", [1, 2, 3])
        var worse = ComparisonFinding(id, .wall, .regressed, "because of <this>")
        (worse.baseline, worse.current, worse.change, worse.interval) = (1, 2, 1, 0.5...1.5)
        worse.pairs = [0.1, -0.2]
        builder.add([worse, ComparisonFinding(id, .cpu, .insufficient), ComparisonFinding(id, .bytes, .ok)])
        return builder.finish(seconds: 1)
    }

    @Test("JUnit and HTML are well-formed for any names of benchmarks", arguments: [ReportFormat.junit, .html])
    func wellFormed(_ format: ReportFormat) throws {
        var text = format.render(report)
        // HTML's void elements and doctype are no XML.
        text = text.replacingOccurrences(of: "<!DOCTYPE html>", with: "")
        text = text.replacingOccurrences(of: "<meta charset=\"utf-8\">", with: "")
        text = text.replacingOccurrences(
            of: "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            with: ""
        )
        #expect(!text.contains("<a>") && !text.contains("<this>"))
        #expect(Self.isBalanced(text))
    }

    /// Whether every element that begins also ends, in order.
    private static func isBalanced(_ text: String) -> Bool {
        var open: [Substring] = []
        for piece in text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1) {
            guard let end = piece.firstIndex(of: ">") else { return false }
            let tag = piece[..<end]
            if tag.hasPrefix("?") || tag.hasSuffix("/") { continue }
            let name = tag.drop { $0 == "/" }.prefix { !$0.isWhitespace }
            if !tag.hasPrefix("/") {
                open.append(name)
            } else if open.popLast() != name {
                return false
            }
        }
        return open.isEmpty
    }

    @Test("JSON has the figures of each metric under their names")
    func json() throws {
        let text = ReportFormat.json.render(report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "axiom-bench/report")
        let benchmarks = try #require(object["benchmarks"] as? [[String: Any]])
        let metrics = try #require(benchmarks[0]["metrics"] as? [String: [String: Any]])
        let wall = try #require(metrics["wall"])
        #expect(wall["median"] as? Double == 2 && wall["p90"] as? Double == 3 && wall["p99"] as? Double == 3)
        #expect(wall["unit"] as? String == "ns/iter" && wall["samples"] as? [Double] == [1, 2, 3])
    }

    @Test("Doubts about a benchmark are in each report for people", arguments: [ReportFormat.text, .markdown, .html])
    func doubts(_ format: ReportFormat) {
        var report = report
        report.benchmarks[0].lints = ["measured less than a nanosecond"]
        #expect(format.render(report).contains("measured less than a nanosecond"))
    }

    @Test("JUnit reports a regression as a failure and an open verdict as skipped")
    func junit() {
        let text = ReportFormat.junit.render(report)
        #expect(text.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""))
    }

    @Test(
        "Text for Prometheus is accepted by promtool",
        .enabled(if: ExternalTool.promtool.mayRun, "promtool is missing: apt-get install prometheus")
    )
    func prometheus() async throws {
        let text = ReportFormat.prometheus.render(report)
        let output = try await ExternalTool.promtool.run(["check", "metrics"], input: Data(text.utf8))
        #expect(output.status == 0, "\(output.errors)")
    }

    @Test("CSV has one line for each sample, and quotes special characters")
    func csv() {
        let lines = ReportFormat.csv.render(report).split(whereSeparator: \.isNewline)
        // The times, and the throughput that follows from them.
        #expect(lines.count == 7)
        #expect(lines[1].contains("\"suite/<a> & \"\"b\"\" | `c`,\u{1}\""))
    }

    @Test("The exit code is that of the worst finding, and depends on the strictness")
    func exitCodes() {
        var doubtful = Report()
        doubtful.findings = [Report.FindingReport(ComparisonFinding("b", .wall, .incomparable), nil)]
        #expect(ExitStatus(doubtful, strictness: .normal, allowRemoved: false) == .success)
        #expect(ExitStatus(doubtful, strictness: .strict, allowRemoved: false) == .inconclusive)
        doubtful.findings.append(Report.FindingReport(ComparisonFinding("b", .cpu, .insufficient), nil))
        #expect(ExitStatus(doubtful, strictness: .normal, allowRemoved: false) == .inconclusive)
        #expect(ExitStatus(doubtful, strictness: .lenient, allowRemoved: false) == .success)
        doubtful.findings.append(Report.FindingReport(ComparisonFinding("b", .wall, .removed), nil))
        #expect(ExitStatus(doubtful, strictness: .lenient, allowRemoved: false) == .regression)
        #expect(ExitStatus(doubtful, strictness: .lenient, allowRemoved: true) == .success)
        doubtful.findings.append(Report.FindingReport(ComparisonFinding("b", .wall, .crashed), nil))
        #expect(ExitStatus(doubtful, strictness: .lenient, allowRemoved: false) == .crashed)
    }
}
