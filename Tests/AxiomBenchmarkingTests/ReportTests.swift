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
        worse.functions = Self.functions
        builder.add([worse, ComparisonFinding(id, .cpu, .insufficient), ComparisonFinding(id, .bytes, .ok)])
        return builder.finish(seconds: 1)
    }

    /// A function that became slower, and another one that became faster.
    private static var functions: ChangedFunctions {
        var (old, new) = (StackCosts(), StackCosts())
        (old.iterations, new.iterations) = (10, 10)
        for (name, before, now) in [("<a> | b", 100.0, 300.0), ("`c`", 80, 50)] {
            old.add(["main", name], before)
            new.add(["main", name], now)
        }
        var functions = ChangedFunctions()
        functions.named = [
            .init(name: "<a> | b", change: 20, share: 1.18, low: 18, high: 22, confidence: 1),
            .init(name: "`c`", change: -3, share: -0.18, low: -4, high: -2, confidence: 0.995),
        ]
        functions.moved = [["d", "e"]]
        (functions.change, functions.rounds, functions.samples) = (17, 10, 12_000)
        functions.tree = DifferenceTree(old: old, new: new, renamed: [:])
        return functions
    }

    @Test("A regression lists its functions, with their change, share, interval and confidence")
    func functions() throws {
        let text = ReportFormat.text.render(report)
        for words in [
            "12000 samples", "time moved between d and e", "+20.00 ns", "118 %", "18.00 ns … 22.00 ns", "99.99 %",
        ] {
            #expect(text.contains(words), "\(words): \(text)")
        }
        let markdown = ReportFormat.markdown.render(report)
        #expect(markdown.contains("| `<a> \\| b` | +20.00 ns | 118 % |"), "\(markdown)")
        let html = ReportFormat.html.render(report)
        for words in ["&lt;a&gt; | b: 10.00 ns before, 30.00 ns now", "rgb(255,60,60)", "rgb(60,60,255)"] {
            #expect(html.contains(words), "\(words): \(html)")
        }
        let object = try JSONSerialization.jsonObject(with: Data(ReportFormat.json.render(report).utf8))
        let findings = (object as? [String: Any])?["findings"] as? [[String: Any]]
        let functions = findings?.first?["functions"] as? [String: Any]
        #expect((functions?["named"] as? [[String: Any]])?.first?["share"] as? Double == 1.18)
        #expect(functions?["tree"] == nil)
    }

    @Test("A regression without a named function says why")
    func noFunctions() {
        var report = report
        report.findings[0].functions = ChangedFunctions(reason: "it waits")
        for format in [ReportFormat.text, .markdown, .html] {
            #expect(format.render(report).contains("no function is named (it waits)"), "\(format)")
        }
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

    @Test("Markdown begins with the verdict, shows what changed, and folds the rest")
    func markdown() throws {
        var report = report
        report.findings.append(
            Report.FindingReport(ComparisonFinding("suite/gone", .wall, .removed, "only there"), nil)
        )
        report.exitCode = 1
        let text = ReportFormat.markdown.render(report)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("## axiom-bench: 1 regression, 1 removed: `suite/"), "\(text)")
        #expect(lines[0].hasSuffix("wall +100.00 %, `suite/gone` wall; 1 inconclusive"), "\(text)")
        #expect(text.contains("Exit code 1."))
        let open = try #require(text.range(of: "<details>"))
        let shown = text[..<open.lowerBound]
        #expect(shown.contains("because of &lt;this&gt;") && shown.contains("| removed: only there |"))
        #expect(!shown.contains("| bytes |") && !shown.contains("| cpu |"))
        #expect(
            text.contains("<summary>1 without a verdict</summary>") && text.contains("<summary>1 unchanged</summary>")
        )
        #expect(!text.contains("<details open>"))
        report.exitCode = 3
        let doubtful = ReportFormat.markdown.render(report)
        #expect(doubtful.contains("<details open><summary>1 without a verdict</summary>"), "\(doubtful)")
        // A name ends neither its code nor its cell.
        #expect(text.contains("`suite/<a> & \"b\" \\| 'c',\u{1}`"), "\(text)")
    }

    @Test("What is bad is named before what has no verdict or is better, and what is not named is counted")
    func verdict() {
        var report = Report()
        (report.mode, report.coverage.judged) = ("file", 5)
        func add(_ kind: Verdict.Kind, _ count: Int) {
            let finding = ComparisonFinding("s/b", .wall, kind)
            report.findings += [Report.FindingReport](repeating: .init(finding, nil), count: count)
        }
        func first(_ format: ReportFormat) -> String { String(format.render(report).prefix { $0 != "\n" }) }
        #expect(first(.markdown) == "## axiom-bench: nothing got worse")
        #expect(ReportFormat.text.render(report).contains(": nothing got worse\n"))
        add(.improved, 2)
        add(.lost, 1)
        #expect(first(.markdown) == "## axiom-bench: nothing got worse, 1 metric lost, 2 improvements")
        add(.removed, 1)
        #expect(first(.markdown) == "## axiom-bench: 1 removed: `s/b` wall; 1 metric lost, 2 improvements")
        add(.regressed, 4)
        let names = [String](repeating: "`s/b` wall", count: 3).joined(separator: ", ")
        let rest = "2 more; 1 metric lost, 2 improvements"
        #expect(first(.markdown) == "## axiom-bench: 4 regressions, 1 removed: \(names), \(rest)")
        let text = ReportFormat.text.render(report)
        #expect(text.contains(": 4 regressions, 1 removed, 2 improvements, 1 metric lost\n"), "\(text)")
    }

    @Test("Markdown fits into a comment, whatever is in the report, and says how much it left out")
    func longMarkdown() throws {
        var report = report
        let long = String(repeating: "ü", count: 300)
        report.findings += (0..<900).map { number in
            let kind: Verdict.Kind = number < 300 ? .regressed : number < 600 ? .incomparable : .ok
            return Report.FindingReport(ComparisonFinding("suite/\(number)", .wall, kind, long), nil)
        }
        report.notes = [String(repeating: "n", count: 100_000), "short"]
        let text = ReportFormat.markdown.render(report)
        #expect(text.utf8.count <= 60_000 && text.utf8.count > 50_000)
        let rows = text.split(separator: "\n").count { $0.hasPrefix("| `suite/") }
        let last = try #require(text.split(separator: "\n").last)
        // Every row, the two functions and both notes are there or counted. The functions come after all rows of regressions.
        #expect(!text.contains("| `<a>"))
        #expect(
            last
                == "\(903 + 2 + 2 - rows - (text.contains("- short") ? 1 : 0)) lines were left out at 60 kB: `--format json` has all."
        )
        #expect(text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
    }

    @Test("Annotations for GitHub are at the benchmark, with everything escaped that ends a property or a line")
    func annotations() throws {
        var worse = ComparisonFinding("suite/a,b: 100%", .wall, .regressed, "line 1\r\nline 2: 5 %")
        worse.change = 0.05
        var report = Report()
        report.findings = [ComparisonFinding("suite/unsure", .cpu, .insufficient), worse].map { .init($0, nil) }
        report.findings[1].file = FileManager.default.currentDirectoryPath + "/Sources/a,b.swift"
        report.findings[1].line = 12
        let lines = ReportFormat.github.render(report).split(separator: "\n")
        #expect(lines.count == 2)
        let message = "suite/a,b: 100%25 wall: regression +5.00 %25 (line 1%0D%0Aline 2: 5 %25)"
        let title = "title=axiom-bench%3A suite/a%2Cb%3A 100%25"
        #expect(lines[0].hasSuffix("Sources/a%2Cb.swift,line=12,\(title)::\(message)"), "\(lines[0])")
        #expect(lines[0].hasPrefix("::error file="))
        #expect(lines[1] == "::warning title=axiom-bench%3A suite/unsure::suite/unsure cpu: inconclusive")
        #expect(ReportFormat.github.render(Report()).isEmpty)
    }

    @Test(
        "A report of code quality has the members that GitLab requires, and a fingerprint of its own for each finding"
    )
    func codeQuality() throws {
        let text = ReportFormat.codequality.render(report)
        let issues = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(issues.count == 2 && issues.compactMap { $0["severity"] as? String } == ["major", "info"])
        #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 2)
        for issue in issues {
            #expect(issue["description"] is String && issue["check_name"] as? String == "axiom-bench")
            let location = try #require(issue["location"] as? [String: Any])
            #expect(location["path"] is String && (location["lines"] as? [String: Int])?["begin"] == 1)
        }
    }

    @Test("What a run cost is in each report that has room", arguments: ReportFormat.allCases)
    func cost(_ format: ReportFormat) {
        var report = report
        (report.seconds, report.processorSeconds) = (12.5, 31.25)
        let words: [ReportFormat: [String]] = [
            .text: ["12.5 s (31.2 s of processor time)"], .markdown: ["12.5 s (31.2 s of processor time)"],
            .html: ["12.5 s (31.2 s of processor time)"],
            .json: ["\"processor_seconds\" : 31.25", "\"seconds\" : 12.5"],
            .junit: ["name=\"processor-seconds\" value=\"31.25\"", "time=\"12.5\""],
            .prometheus: ["axiom_bench_run_processor_seconds 31.25", "axiom_bench_run_seconds 12.5"],
        ]
        let text = format.render(report)
        for word in words[format] ?? [] { #expect(text.contains(word), "\(text)") }
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
