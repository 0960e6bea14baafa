// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// Compares two builds on this machine: times in pairs of processes, counts in a few processes of each.
final class DuetSession: MeasuringSession {
    /// What links a program in another order for each pair.
    private typealias Link = (order: FunctionOrder, path: String)

    /// How many short pairs have one order of functions: to link takes longer than a short pair.
    private static let pairsOfAnOrder = 4

    private let stage: Stage
    private let runner: PairRunner
    private let links: [Link]
    private var controls: NullControls
    private var round = 0
    /// The medians of the current build, one for each pair, by benchmark and metric.
    private(set) var samples: [String: [Metric: [Double]]] = [:]
    private(set) var nullControls: [NullControl] = []

    /// - Parameter benchmarks: Those that both builds have.
    init(
        baseline: MeasuredProgram,
        current: MeasuredProgram,
        benchmarks: [BenchmarkInfo],
        settings: RunSettings,
        progress: Progress
    ) throws(BenchmarkError) {
        stage = try Stage()
        let (old, new) = (try stage.copy(baseline, to: "old"), try stage.copy(current, to: "new"))
        let twin = try stage.copy(current, to: "twn")
        let before = stage.order(of: baseline, named: "old.link")
        let after = stage.order(of: current, named: "new.link")
        if let before, let after {
            let controls = settings.measuresControls ? [(after, twin.path)] : []
            links = [(before, old.path), (after, new.path)] + controls
        } else {
            links = []
        }
        runner = PairRunner(baseline: old, current: new)
        controls = NullControls(new, twin: twin, of: benchmarks, isOn: settings.measuresControls)
        super.init(benchmarks, settings, progress)
    }

    /// Doubts about a benchmark itself.
    func lints(_ benchmark: BenchmarkInfo) -> [String] {
        lints(benchmark.id, nanoseconds: samples[benchmark.id]?[.wall].flatMap { try? Statistics.median($0) })
    }

    /// Measures and judges everything.
    func findings() throws -> [ComparisonFinding] {
        let counts = judgeCounts()
        var findings = counts
        let rows = benchmarks.enumerated().flatMap { settings.rows($0.offset, $0.element) }
        if !rows.isEmpty {
            let design = TwoStageDesign.duet(alpha: settings.alpha)
            findings += try afterControls(try design.judge(rows.filter { crashes[$0.id] == nil }, measure), counts)
            nameFunctions(in: &findings)
        }
        progress.end()
        return findings.filter { crashes[$0.benchmark] == nil } + crashFindings
    }

    /// Measures pairs of the first benchmark, without a judgement.
    func logRatios(_ metric: Metric, pairs: Int) throws -> [Double] {
        let values = try measure([0], pairs)[0] ?? []
        progress.end()
        if let crash = crashes.values.first { throw crash }
        return values.compactMap { $0[metric]?.logRatio }
    }

    // MARK: Pairs

    private func measure(_ chosen: [Int], _ pairs: Int) throws -> [Int: [[Metric: PairedValue]]] {
        var measured: [Int: [[Metric: PairedValue]]] = [:]
        let isScreening = round == 0
        progress.begin(isScreening ? "Comparing" : "Confirming", steps: pairs * chosen.count)
        for number in 0..<pairs where !isOver {
            round += 1
            if isScreening || number % Self.pairsOfAnOrder == 0 { try drawOrders() }
            for index in chosen.shuffled(using: &generator) where !isOver {
                let values = pair(benchmarks[index], isShort: !isScreening)
                if let values { measured[index, default: []].append(values) }
                progress.step()
            }
            if isScreening { measureControls() }
        }
        if isScreening { try repeatControls(pairs) }
        if isOver { note("the budget ended before everything was measured") }
        return measured
    }

    /// Draws the order of the functions of each program.
    private func drawOrders() throws {
        for link in links {
            try link.order.link(link.path, seed: UInt32(truncatingIfNeeded: generator.next() >> 33))
        }
        if !links.isEmpty { note("the functions of both builds are linked in another order for each pair") }
    }

    private func pair(_ benchmark: BenchmarkInfo, isShort: Bool) -> [Metric: PairedValue]? {
        let processor = processor(round)
        return attempt(benchmark) { () throws(BenchmarkError) in
            let plan = try plan(benchmark, runner.baseline, processor)
            let values = try runner.pair(benchmark, isShort ? plan.short : plan, processor: processor, &generator)
            for (metric, value) in values {
                samples[benchmark.id, default: [:]][metric, default: []].append(value.current)
            }
            return values
        }
    }

    // MARK: The null control

    private func measureControls(_ id: String? = nil) {
        for problem in controls.measure(id, processor: processor(round), &generator) { note(problem) }
    }

    /// Measures a control again that failed: one in a hundred fails by chance, and twice is no chance. The new pairs decide.
    private func repeatControls(_ pairs: Int) throws {
        for failed in try controls.results() where failed.problem(minimumEffect: settings.minimumEffect) != nil {
            let earlier = controls.pairs.updateValue([], forKey: failed.id)
            for _ in 0..<2 * pairs where !isOver {
                round += 1
                try drawOrders()
                measureControls(failed.id)
            }
            // Too few new pairs, because the budget ended, decide nothing: the control has failed.
            guard (controls.pairs[failed.id]?.count ?? 0) >= NullControl.leastPairs else {
                controls.pairs[failed.id] = earlier
                continue
            }
            note("the null control \(failed.id) failed once, and was measured again")
        }
    }

    /// Withdraws verdicts that the null control or the number of instructions contradicts.
    private func afterControls(
        _ findings: [ComparisonFinding],
        _ counts: [ComparisonFinding]
    ) throws -> [ComparisonFinding] {
        nullControls = try controls.results()
        let problems = nullControls.compactMap { $0.problem(minimumEffect: settings.minimumEffect) }
        return findings.map { finding in
            var finding = finding
            guard finding.metric.kind == .noisy else { return finding }
            if let problem = problems.first, finding.kind == .regressed || finding.kind == .ok {
                finding.kind = .insufficient
                finding.detail = "the null control failed: \(problem)"
            } else if finding.kind == .regressed, settings.checksLayout {
                checkLayout(&finding, counts)
            }
            return finding
        }
    }

    /// If instructions and allocations are equal, the likely cause is that code moved in memory.
    private func checkLayout(_ finding: inout ComparisonFinding, _ counts: [ComparisonFinding]) {
        guard let benchmark = benchmarks.first(where: { $0.id == finding.benchmark }), benchmark.own == nil
        else { return }
        let known = counts.first { $0.benchmark == benchmark.id && $0.metric == .instructions }
        guard let change = known?.change ?? instructionChange(benchmark) else { return }
        let memory = counts.first { $0.benchmark == benchmark.id && $0.metric == .allocations }
        let hasSameMemory = memory.map { $0.kind == .ok } ?? true
        guard abs(change) <= CountJudge.agreement, hasSameMemory else {
            finding.detail = "instructions \(Format.change(change))"
            return
        }
        finding.detail = "layout suspect: instructions are the same up to \(Format.percent(abs(change)))"
        if (finding.change ?? 0) < settings.layoutEffect { finding.kind = .ok }
    }

    private func instructionChange(_ benchmark: BenchmarkInfo) -> Double? {
        guard counter.counters.valgrind != nil else { return nil }
        progress.begin("Counting instructions of \(benchmark.id)", steps: 1)
        let counter = CountRunner(counters: counter.counters, metrics: [.instructions])
        guard let old = (try? counter.callgrind(runner.baseline, benchmark)) ?? nil,
            let new = (try? counter.callgrind(runner.current, benchmark)) ?? nil, old > 0
        else { return nil }
        return new / old - 1
    }

    // MARK: Functions

    /// Names the functions of the first regressions, with the first finding of each benchmark.
    private func nameFunctions(in findings: inout [ComparisonFinding]) {
        var named: Set<String> = []
        for index in findings.indices where findings[index].kind == .regressed && named.count < settings.profiled {
            let finding = findings[index]
            guard finding.metric == .wall || finding.metric == .cpu, named.insert(finding.benchmark).inserted,
                let benchmark = benchmarks.first(where: { $0.id == finding.benchmark })
            else { continue }
            findings[index].functions = functions(of: benchmark)
        }
    }

    /// The functions of a benchmark that take longer, or why none is named.
    func functions(of benchmark: BenchmarkInfo) -> ChangedFunctions {
        progress.begin("Sampling \(benchmark.id)", steps: FunctionSession.looks[0])
        defer { progress.end() }
        var order = SeededGenerator(seed: generator.next())
        do {
            let plan = try plan(benchmark, runner.baseline, processor(0))
            let session = FunctionSession(runner: runner, benchmark: benchmark, plan: plan, alpha: settings.alpha)
            return try session.changed(&order) { number in
                guard !isOver else { throw BenchmarkError(.usage, "the budget ended") }
                if number % Self.pairsOfAnOrder == 0 { try drawOrders() }
                progress.step()
                return processor(number)
            }
        } catch {
            return ChangedFunctions(reason: "\(error)")
        }
    }

    // MARK: Counts

    private func judgeCounts() -> [ComparisonFinding] {
        guard !counter.metrics.isEmpty || settings.metrics.contains(.value) else { return [] }
        var findings: [ComparisonFinding] = []
        count { (benchmark) throws(BenchmarkError) in
            let old = try counter.counts(runner.baseline, benchmark)
            let new = try counter.counts(runner.current, benchmark)
            for metric in Set(old.keys).union(new.keys).sorted(by: { $0.name < $1.name }) {
                let (before, after) = (old[metric] ?? [], new[metric] ?? [])
                samples[benchmark.id, default: [:]][metric] = after
                findings.append(CountJudge.judge(benchmark.id, metric, baseline: before, current: after))
            }
        }
        return findings
    }
}
