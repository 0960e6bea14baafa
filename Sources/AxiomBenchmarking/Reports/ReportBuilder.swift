// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Makes a report from measurements.
struct ReportBuilder {
    var report = Report()
    private let infos: [String: BenchmarkInfo]

    init(_ benchmarks: [BenchmarkInfo], _ settings: RunSettings, mode: String) {
        infos = Dictionary(benchmarks.map { ($0.id, $0) }) { first, _ in first }
        report.mode = mode
        report.alpha = settings.alpha
        report.minimumEffect = settings.minimumEffect
        report.seed = settings.seed
        report.benchmarks = benchmarks.map { Report.BenchmarkReport(id: $0.id) }
        report.coverage.of = benchmarks.count
    }

    /// Adds what a session has to say.
    mutating func add(_ session: MeasuringSession) {
        report.notes += session.notes
        for (metric, reason) in session.counter.reasons { report.unavailable[metric.name] = reason }
    }

    /// Adds the measurements of a metric of a benchmark.
    mutating func add(_ id: String, _ metric: Metric, _ samples: [Double]) {
        add(id, metric.name, unit: metric.unit, kind: metric.kind.name, samples)
    }

    mutating func add(_ id: String, _ name: String, unit: String, kind: String, _ samples: [Double]) {
        guard let index = report.benchmarks.firstIndex(where: { $0.id == id }),
            let median = try? Statistics.median(samples),
            let p90 = try? Statistics.quantile(0.9, of: samples),
            let p99 = try? Statistics.quantile(0.99, of: samples)
        else { return }
        report.benchmarks[index].metrics[name] = Report.MetricReport(
            unit: unit,
            kind: kind,
            median: median,
            p90: p90,
            p99: p99,
            samples: samples
        )
    }

    /// Adds the contents of recordings.
    mutating func add(_ records: [BenchmarkRecord]) {
        for record in records {
            for (name, metric) in record.metrics {
                let samples = record.runs.flatMap { $0.samples[name] ?? [] }
                add(record.id, name, unit: metric.unit, kind: metric.kind, samples)
            }
        }
    }

    mutating func add(_ lints: [String], to id: String) {
        guard let index = report.benchmarks.firstIndex(where: { $0.id == id }) else { return }
        report.benchmarks[index].lints += lints
    }

    mutating func add(_ findings: [ComparisonFinding]) {
        report.findings += findings.map { Report.FindingReport($0, infos[$0.benchmark]) }
    }

    mutating func add(_ judge: GoalJudge) {
        guard let index = report.benchmarks.firstIndex(where: { $0.id == judge.info.id }) else { return }
        add(judge.info.id, judge.metric, judge.values)
        var goal = Report.GoalReport(judge.goal, measured: judge.values.min())
        (goal.verdict, goal.detail) = (judge.verdict.rawValue, judge.words)
        report.benchmarks[index].goal = goal
        add([judge.finding])
    }

    mutating func add(_ controls: [NullControl], minimumEffect: Double) {
        report.nullControls += controls.map {
            Report.NullReport(
                benchmark: $0.id,
                change: expm1($0.shift.value),
                low: expm1($0.shift.lower),
                high: expm1($0.shift.upper),
                deviation: $0.deviation,
                problem: $0.problem(minimumEffect: minimumEffect)
            )
        }
    }

    /// Adds benchmarks that only one build has.
    mutating func addCoverage(baseline: [String], current: [String]) {
        let (old, new) = (Set(baseline), Set(current))
        let removed = baseline.filter { !new.contains($0) }
        let added = current.filter { !old.contains($0) }
        report.coverage.removed = removed
        report.coverage.added = added
        report.coverage.of = old.union(new).count
        add(removed.map { ComparisonFinding($0, .wall, .removed, "only the baseline has it") })
        add(added.map { ComparisonFinding($0, .wall, .added, "the baseline does not have it") })
    }

    /// Computes throughput, growth and goals, and returns the report.
    ///
    /// - Parameter seconds: The duration of the run; 0 if nothing ran.
    mutating func finish(seconds: Double) -> Report {
        report.seconds = seconds
        report.processorSeconds = seconds > 0 ? ProcessFacts.processorSeconds : 0
        let judged = Set(report.findings.filter(\.verdict.isJudged).map(\.benchmark))
        report.coverage.judged = judged.count
        report.coverage.lost = report.findings(.lost).map { "\($0.benchmark) \($0.metric)" }
        addThroughput()
        addGrowth()
        addGoals()
        return report
    }

    /// The figure of a benchmark: its own value, or its time.
    private func figure(_ id: String) -> Double? {
        let metrics = report.benchmarks.first { $0.id == id }?.metrics
        return (metrics?[Metric.value.name] ?? metrics?[Metric.wall.name])?.median
    }

    private mutating func addThroughput() {
        for (index, benchmark) in report.benchmarks.enumerated() {
            guard let wall = benchmark.metrics[Metric.wall.name], wall.samples.allSatisfy({ $0 > 0 }) else { continue }
            let bytes = infos[benchmark.id]?.bytesPerIteration
            // Bytes in a nanosecond are thousands of MB in a second.
            let work = bytes.map { $0 * 1_000 } ?? 1e9
            let samples = wall.samples.map { work / $0 }
            add(
                report.benchmarks[index].id,
                Metric.throughput.name,
                unit: bytes == nil ? Metric.throughput.unit : "MB/s",
                kind: Metric.throughput.kind.name,
                samples
            )
        }
    }

    private mutating func addGrowth() {
        var points: [String: [(size: Int, cost: Double)]] = [:]
        for benchmark in report.benchmarks {
            guard let info = infos[benchmark.id], let size = info.size, let cost = figure(benchmark.id) else {
                continue
            }
            points[info.family, default: []].append((size, cost))
        }
        report.growth = points.compactMapValues(Growth.exponent)
    }

    private mutating func addGoals() {
        for (index, benchmark) in report.benchmarks.enumerated() {
            guard let info = infos[benchmark.id], let goal = info.goal, benchmark.goal == nil else { continue }
            let measured = goal.measured(benchmark.id, figure)
            let reason = measured == nil ? info.unmeasured ?? failure(benchmark, info) : nil
            guard measured != nil || reason != nil else { continue }
            report.benchmarks[index].goal = Report.GoalReport(goal, measured: measured, reason: reason)
        }
    }

    /// Why a requested number is missing, so that a table of goals is complete.
    private func failure(_ benchmark: Report.BenchmarkReport, _ info: BenchmarkInfo) -> String? {
        if report.findings(.crashed).contains(where: { $0.benchmark == benchmark.id }) { return "crashed" }
        // Its process was measured, but did not return a number.
        let isMissing = info.own != nil && benchmark.metrics[Metric.value.name] == nil && !benchmark.metrics.isEmpty
        return isMissing ? "gave no number" : nil
    }
}

/// How cost grows with the size of the work: as its power of this exponent. 1 is in proportion, 2 with the square.
enum Growth {
    /// The slope of the least-squares line through the logarithms; nil for fewer than two different sizes.
    static func exponent(_ points: [(size: Int, cost: Double)]) -> Double? {
        let usable = points.filter { $0.size > 0 && $0.cost > 0 }
        let x = usable.map { log(Double($0.size)) }
        let y = usable.map { log($0.cost) }
        let count = Double(usable.count)
        let (meanX, meanY) = (x.reduce(0, +) / count, y.reduce(0, +) / count)
        let spread = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
        guard spread > 0 else { return nil }
        return zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) } / spread
    }
}
