// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// The results of a run, in the form of the JSON report `axiom-bench/report`.
struct Report: Encodable, Sendable {
    struct MetricReport: Encodable, Sendable {
        let unit: String
        let kind: String
        let median: Double
        let p90: Double
        let p99: Double
        let samples: [Double]
    }

    struct BenchmarkReport: Encodable, Sendable {
        let id: String
        var metrics: [String: MetricReport] = [:]
        var goal: GoalReport?
        /// Doubts about the benchmark itself.
        var lints: [String] = []
    }

    /// The goal of a benchmark, and whether it is met.
    struct GoalReport: Encodable, Sendable {
        let statement: String
        /// The ratio, or the value if there is no reference; nil if it was not measured.
        var measured: Double?
        let limit: Double
        var isMet: Bool?
        /// Why it was not measured.
        var reason: String?
        /// What it may be at most until the goal is met; nil if that is the limit.
        var held: Double?
        /// The verdict of a run that judges goals, and in words.
        var verdict: String?
        var detail: String?

        init(_ goal: BenchmarkGoal.Content, measured: Double?, reason: String? = nil) {
            (statement, limit, held) = (goal.words, goal.limit, goal.held)
            (self.measured, self.reason) = (measured, reason)
            isMet = measured.map { $0 <= goal.limit }
        }

        /// `met`, `MISSED`, or why it is neither.
        var outcome: String { reason ?? detail ?? (isMet == true ? "met" : "MISSED") }
    }

    struct FindingReport: Encodable, Sendable {
        let benchmark: String
        let metric: String
        let unit: String
        @ReportedVerdict var verdict: Verdict.Kind
        var baseline: Double?
        var current: Double?
        /// For the worse: 0.02 is 2 %.
        var change: Double?
        var low: Double?
        var high: Double?
        var pValue: Double?
        var detectable: Double?
        var pairs: [Double]?
        var detail: String?
        var file: String?
        var line: Int?
        var functions: ChangedFunctions?
    }

    struct NullReport: Encodable, Sendable {
        let benchmark: String
        let change: Double
        let low: Double
        let high: Double
        let deviation: Double
        var problem: String?
    }

    /// Benchmarks with at least one verdict, of how many there are in either build.
    struct Coverage: Encodable, Sendable {
        var judged = 0
        var of = 0
        var added: [String] = []
        var removed: [String] = []
        var lost: [String] = []
    }

    var schema = "axiom-bench/report"
    var schemaVersion = 1
    var createdAt = UTC.now
    /// `solo`, `goals`, `revision`, `file`, `commands` or `files`.
    var mode = "solo"
    /// The baseline of the comparison.
    var baseline: String?
    var seconds = 0.0
    /// The time of processors that the run and the processes that it started took, in seconds.
    var processorSeconds = 0.0
    var alpha = 0.01
    var minimumEffect = 0.02
    var seed: UInt64 = 0
    var benchmarks: [BenchmarkReport] = []
    var findings: [FindingReport] = []
    var nullControls: [NullReport] = []
    var coverage = Coverage()
    /// The exponent of the growth of cost with size, by family of benchmarks.
    var growth: [String: Double] = [:]
    /// Why a metric is missing, by metric.
    var unavailable: [String: String] = [:]
    var notes: [String] = []
    var exitCode: Int32 = 0

    /// Whether it compares, and has no verdict.
    var judgedNothing: Bool { mode != "solo" && coverage.judged == 0 }

    /// The time of the run, on the clock and of processors.
    var cost: String {
        let clock = Format.seconds(seconds)
        return processorSeconds > 0 ? "\(clock) (\(Format.seconds(processorSeconds)) of processor time)" : clock
    }

    /// How many goals have which verdict.
    var goalSummary: String {
        let kinds = benchmarks.compactMap(\.goal?.verdict) + findings(.crashed).map(\.verdict.reportName)
        let counts = ["met", "open", "missed", "inconclusive", "crashed"].map { kind in
            "\(kinds.count { $0 == kind }) \(kind)"
        }
        return "judged \(coverage.judged) of \(coverage.of) goals in \(cost): "
            + counts.joined(separator: ", ")
    }

    /// Doubts about the benchmarks themselves, each in a line.
    var doubts: [String] {
        benchmarks.flatMap { benchmark in benchmark.lints.map { "lint: \(benchmark.id): \($0)" } }
    }

    func findings(_ kind: Verdict.Kind) -> [FindingReport] {
        findings.filter { $0.verdict == kind }
    }

    /// How many findings have a verdict, in words; nil if none has it.
    func count(_ kind: Verdict.Kind) -> String? {
        let count = findings(kind).count
        let isNoun = kind == .regressed || kind == .improved
        return count > 0 ? "\(count) \(kind.reportName)\(isNoun && count > 1 ? "s" : "")" : nil
    }
}

extension Report.FindingReport {
    init(_ finding: ComparisonFinding, _ info: BenchmarkInfo?) {
        self.init(
            benchmark: finding.benchmark,
            metric: finding.metric.name,
            unit: finding.metric.unit,
            verdict: finding.kind,
            baseline: finding.baseline,
            current: finding.current,
            change: finding.change.flatMap { $0.isFinite ? $0 : nil },
            low: finding.interval?.lowerBound,
            high: finding.interval?.upperBound,
            pValue: finding.pValue,
            detectable: finding.detectable,
            pairs: finding.pairs.isEmpty ? nil : finding.pairs,
            detail: finding.detail.isEmpty ? nil : finding.detail,
            file: info?.file,
            line: info?.line,
            functions: finding.functions
        )
    }
}

extension Verdict.Kind {
    /// The names in reports of benchmarks. They are part of the format.
    private static let reportNames: [Verdict.Kind: String] = [
        .ok: "ok", .regressed: "regression", .improved: "improvement", .insufficient: "inconclusive",
        .incomparable: "incomparable", .information: "info", .added: "added", .removed: "removed",
        .lost: "metric lost", .crashed: "crashed",
    ]

    /// The name in reports of benchmarks.
    var reportName: String { Self.reportNames[self] ?? description }
}

/// Encodes a kind of verdict by its name in reports.
@propertyWrapper
struct ReportedVerdict: Encodable, Sendable {
    let wrappedValue: Verdict.Kind

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue.reportName)
    }
}

/// How a report is written.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case junit
    case markdown
    case html
    case csv
    case prometheus
    case github
    case codequality

    /// The report in this format, ending with a line feed.
    func render(_ report: Report) -> String {
        switch self {
        case .text: TextReport(report).text
        case .json: Self.json(report)
        case .junit: JUnitReport.render(report)
        case .markdown: MarkdownReport.render(report)
        case .html: HTMLReport.render(report)
        case .csv: CSVReport.render(report)
        case .prometheus: PrometheusReport.render(report)
        case .github: Annotations.github(report)
        case .codequality: Annotations.codeQuality(report)
        }
    }

    static func json(_ report: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return ((try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
    }
}
