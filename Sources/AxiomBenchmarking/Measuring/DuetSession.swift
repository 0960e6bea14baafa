// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomProfile
internal import Foundation

/// Compares two builds on this machine: times in pairs of processes, counts in a few processes of each.
final class DuetSession {
    private let settings: RunSettings
    private let progress: Progress
    private let counters = Counters()
    private let benchmarks: [BenchmarkInfo]
    private let stage: Stage
    private let baseline: MeasuredProgram
    private let current: MeasuredProgram
    private let twin: MeasuredProgram
    /// What links the two builds in another order for each pair.
    private let orders: (baseline: FunctionOrder, current: FunctionOrder)?
    private let processors = ProcessFacts.processors
    private var generator: SeededGenerator
    private var plans: [Int: SamplingPlan] = [:]
    private var crashes: [Int: BenchmarkError] = [:]
    private var round = 0
    private var nullPairs: [String: [Double]] = [:]
    /// The medians of the current build, one for each pair, by benchmark and metric.
    private(set) var samples: [Int: [Metric: [Double]]] = [:]
    private(set) var nullControls: [NullControl] = []
    private(set) var notes: [String] = []

    /// - Parameter benchmarks: Those that both builds have.
    init(
        baseline: MeasuredProgram,
        current: MeasuredProgram,
        benchmarks: [BenchmarkInfo],
        settings: RunSettings,
        progress: Progress
    ) throws(BenchmarkError) {
        stage = try Stage()
        self.baseline = try stage.copy(baseline, to: "old")
        self.current = try stage.copy(current, to: "new")
        twin = try stage.copy(current, to: "twn")
        let (old, new) = (stage.order(of: baseline, named: "old.link"), stage.order(of: current, named: "new.link"))
        orders = if let old, let new { (old, new) } else { nil }
        self.benchmarks = benchmarks
        self.settings = settings
        self.progress = progress
        generator = SeededGenerator(seed: settings.seed)
    }

    /// Why requested metrics are missing.
    var unavailable: [Metric: String] { countRunner.reasons }

    /// Doubts about a benchmark itself.
    func lints(_ index: Int) -> [String] {
        guard let plan = plans[index] else { return [] }
        let times = samples[index]?[.wall].flatMap { try? Statistics.median($0) }
        return Lint.check(benchmarks[index], plan, nanoseconds: times ?? plan.nanoseconds)
    }

    /// Measures and judges everything.
    func findings() throws -> [Finding] {
        var findings = try judgeCounts()
        let rows = benchmarks.enumerated().flatMap { settings.rows($0.offset, $0.element) }
        if !rows.isEmpty {
            let design = TwoStageDesign.duet(alpha: settings.alpha)
            let judged = try design.judge(rows.filter { crashes[$0.benchmark] == nil }, measure)
            findings += try afterControls(judged, findings)
        }
        for (index, error) in crashes.sorted(by: { $0.key < $1.key }) {
            findings.removeAll { $0.benchmark == benchmarks[index].id }
            findings.append(Finding(benchmarks[index].id, .wall, .crashed, error.description))
        }
        progress.end()
        return findings
    }

    // MARK: Pairs

    /// How many short pairs have one order of functions: to link takes longer than a short pair.
    private static let pairsOfAnOrder = 4

    private func measure(_ chosen: [Int], _ pairs: Int) throws -> [Int: [[Metric: PairedValue]]] {
        var measured: [Int: [[Metric: PairedValue]]] = [:]
        let isScreening = nullPairs.isEmpty
        progress.begin(isScreening ? "Comparing" : "Confirming", steps: pairs * chosen.count)
        let runner = PairRunner(baseline: baseline, current: current)
        let controls = isScreening ? controlled() : []
        for number in 0..<pairs where !isOver {
            round += 1
            if isScreening || number % Self.pairsOfAnOrder == 0 { try drawOrders() }
            for index in chosen.shuffled(using: &generator) where crashes[index] == nil && !isOver {
                if let values = pair(runner, index, isShort: !isScreening) {
                    measured[index, default: []].append(values)
                    for (metric, value) in values {
                        samples[index, default: [:]][metric, default: []].append(value.current)
                    }
                }
                progress.step()
            }
            for control in controls { measureNull(control) }
        }
        if isScreening { try repeatControls(controls, pairs) }
        if isOver { note("the budget ended before everything was measured") }
        return measured
    }

    /// Draws the order of the functions of each program.
    private func drawOrders() throws {
        guard let orders else { return }
        for (program, order) in [(baseline, orders.baseline), (current, orders.current), (twin, orders.current)] {
            try order.link(program.path, seed: UInt32(truncatingIfNeeded: generator.next() >> 33))
        }
        note("the functions of both builds are linked in another order for each pair")
    }

    private func pair(_ runner: PairRunner, _ index: Int, isShort: Bool) -> [Metric: PairedValue]? {
        do {
            let plan =
                if let known = plans[index] { known } else {
                    try SamplingPlan(baseline, benchmarks[index], processor: processor)
                }
            plans[index] = plan
            return try runner.pair(benchmarks[index], isShort ? plan.short : plan, processor: processor, &generator)
        } catch {
            crashes[index] = error
            return nil
        }
    }

    private var processor: Int? { processors.isEmpty ? nil : processors[round % processors.count] }

    private var isOver: Bool { settings.budget.map { progress.seconds > $0 } ?? false }

    private func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    // MARK: The null control

    /// A constant kernel, and with many benchmarks also one of them.
    private func controlled() -> [BenchmarkInfo] {
        let kernels = ReferenceKernels.suite.benchmarks.filter { $0.id.hasSuffix("/sort") }.map(BenchmarkInfo.init)
        let timed = benchmarks.first { $0.own == nil && $0.judgesTime }
        return kernels + (benchmarks.count >= 5 ? [timed].compactMap { $0 } : [])
    }

    /// Measures a control again that failed: one in a hundred fails by chance, and twice is no chance. The new pairs decide.
    private func repeatControls(_ controls: [BenchmarkInfo], _ pairs: Int) throws {
        for control in controls {
            guard let values = nullPairs[control.id], values.count >= NullControl.leastPairs,
                try NullControl(id: control.id, logRatios: values).problem(minimumEffect: settings.minimumEffect) != nil
            else { continue }
            nullPairs[control.id] = []
            for _ in 0..<2 * pairs where !isOver {
                round += 1
                try drawOrders()
                measureNull(control)
            }
            // Too few new pairs, because the budget ended, decide nothing: the control has failed.
            guard (nullPairs[control.id]?.count ?? 0) >= NullControl.leastPairs else {
                nullPairs[control.id] = values
                continue
            }
            note("the null control \(control.id) failed once, and was measured again")
        }
    }

    private var nullPlans: [String: SamplingPlan] = [:]

    private func measureNull(_ benchmark: BenchmarkInfo) {
        var (one, other) = (current, twin)
        (one.injected, other.injected) = (0, 0)
        let runner = PairRunner(baseline: one, current: other)
        do {
            let plan = try nullPlans[benchmark.id] ?? SamplingPlan(one, benchmark, processor: processor)
            nullPlans[benchmark.id] = plan
            let values = try runner.pair(benchmark, plan, processor: processor, &generator)
            if let value = values[.wall] { nullPairs[benchmark.id, default: []].append(value.logRatio) }
        } catch {
            note("the null control \(benchmark.id) could not be measured: \(error)")
        }
    }

    /// Withdraws verdicts that the null control or the number of instructions contradicts.
    private func afterControls(_ findings: [Finding], _ counts: [Finding]) throws -> [Finding] {
        for (id, pairs) in nullPairs.sorted(by: { $0.key < $1.key }) where pairs.count >= NullControl.leastPairs {
            nullControls.append(try NullControl(id: id, logRatios: pairs))
        }
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
    private func checkLayout(_ finding: inout Finding, _ counts: [Finding]) {
        guard let index = benchmarks.firstIndex(where: { $0.id == finding.benchmark }), benchmarks[index].own == nil
        else { return }
        let known = counts.first { $0.benchmark == finding.benchmark && $0.metric == .instructions }
        guard let change = known?.change ?? instructionChange(benchmarks[index]) else { return }
        let memory = counts.first { $0.benchmark == finding.benchmark && $0.metric == .allocations }
        let hasSameMemory = memory.map { $0.kind == .ok } ?? true
        guard abs(change) <= CountJudge.agreement, hasSameMemory else {
            finding.detail = "instructions \(Format.change(change))"
            return
        }
        finding.detail = "layout suspect: instructions are the same up to \(Format.percent(abs(change)))"
        if (finding.change ?? 0) < settings.layoutEffect { finding.kind = .ok }
    }

    private func instructionChange(_ benchmark: BenchmarkInfo) -> Double? {
        guard counters.valgrind != nil else { return nil }
        progress.begin("Counting instructions of \(benchmark.id)", steps: 1)
        let runner = CountRunner(counters: counters, metrics: [.instructions])
        guard let old = (try? runner.callgrind(baseline, benchmark)) ?? nil,
            let new = (try? runner.callgrind(current, benchmark)) ?? nil, old > 0
        else { return nil }
        return new / old - 1
    }

    // MARK: Counts

    private var countRunner: CountRunner {
        CountRunner(
            counters: counters,
            metrics: settings.counted(instructionsBy: counters.instructions.backend)
        )
    }

    private func judgeCounts() throws -> [Finding] {
        var findings: [Finding] = []
        let runner = countRunner
        guard !runner.metrics.isEmpty || settings.metrics.contains(.value) else { return [] }
        progress.begin("Counting", steps: benchmarks.count)
        for (index, benchmark) in benchmarks.enumerated() where !isOver {
            do {
                let (old, new) = (try runner.counts(baseline, benchmark), try runner.counts(current, benchmark))
                for metric in Set(old.keys).union(new.keys).sorted(by: { $0.name < $1.name }) {
                    let (before, after) = (old[metric] ?? [], new[metric] ?? [])
                    samples[index, default: [:]][metric] = after
                    findings.append(CountJudge.judge(benchmark.id, metric, baseline: before, current: after))
                }
            } catch {
                crashes[index] = error
            }
            progress.step()
        }
        return findings
    }
}
