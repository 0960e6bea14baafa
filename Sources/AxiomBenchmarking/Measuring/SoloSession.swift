// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomProfile
internal import Foundation

/// Measures one build alone.
final class SoloSession {
    private let settings: RunSettings
    private let progress: Progress
    private let counters = Counters()
    private let benchmarks: [BenchmarkInfo]
    private let program: MeasuredProgram
    private let processors = ProcessFacts.processors
    private var generator: SeededGenerator
    private var plans: [String: SamplingPlan] = [:]
    private(set) var crashes: [String: BenchmarkError] = [:]
    private(set) var notes: [String] = []

    init(program: MeasuredProgram, benchmarks: [BenchmarkInfo], settings: RunSettings, progress: Progress) {
        self.program = program
        self.benchmarks = benchmarks
        self.settings = settings
        self.progress = progress
        generator = SeededGenerator(seed: settings.seed)
    }

    private var countRunner: CountRunner {
        CountRunner(
            counters: counters,
            metrics: settings.counted(instructionsBy: counters.instructions.backend)
        )
    }

    /// Why requested metrics are missing.
    var unavailable: [Metric: String] { countRunner.reasons }

    /// Doubts about a benchmark itself.
    func lints(_ id: String) -> [String] {
        guard let benchmark = benchmarks.first(where: { $0.id == id }), let plan = plans[id] else { return [] }
        return Lint.check(benchmark, plan, nanoseconds: plan.nanoseconds)
    }

    /// Measures everything.
    func records() -> [BenchmarkRecord] {
        let counts = count()
        var runs: [String: [ProcessRun]] = [:]
        if needsRuns {
            let processes = SoloRunner.processes
            progress.begin("Measuring", steps: processes * benchmarks.count)
            for process in 0..<processes where !isOver {
                for benchmark in benchmarks.shuffled(using: &generator) where crashes[benchmark.id] == nil && !isOver {
                    if let run = run(benchmark, process) { runs[benchmark.id, default: []].append(run) }
                    progress.step()
                }
            }
        }
        progress.end()
        if isOver { notes.append("the budget ended before everything was measured") }
        return benchmarks.map { Recorder.record($0, runs[$0.id] ?? [], counts[$0.id] ?? [:], settings) }
    }

    private var needsRuns: Bool {
        !settings.metrics.isDisjoint(with: [.wall, .cpu, .peakRSS, .faults, .switches, .throughput, .value])
    }

    private var isOver: Bool { settings.budget.map { progress.seconds > $0 } ?? false }

    private func run(_ benchmark: BenchmarkInfo, _ process: Int) -> ProcessRun? {
        let processor = processors.isEmpty ? nil : processors[process % processors.count]
        do {
            let plan =
                if let known = plans[benchmark.id] { known } else {
                    try SamplingPlan(program, benchmark, processor: processor)
                }
            plans[benchmark.id] = plan
            return try SoloRunner(program: program).run(benchmark, plan, process: process, processor: processor)
        } catch {
            crashes[benchmark.id] = error
            return nil
        }
    }

    private func count() -> [String: [Metric: [Double]]] {
        var counts: [String: [Metric: [Double]]] = [:]
        let runner = countRunner
        progress.begin("Counting", steps: benchmarks.count)
        for benchmark in benchmarks where !isOver {
            do {
                counts[benchmark.id] = try runner.counts(program, benchmark)
            } catch {
                crashes[benchmark.id] = error
            }
            progress.step()
        }
        return counts
    }
}

/// Takes the samples of one process of one build.
struct SoloRunner {
    /// The number of processes that a file needs for a comparison of times.
    static let processes = 10
    static let samples = 20

    let program: MeasuredProgram

    /// Takes the samples of one process.
    func run(
        _ benchmark: BenchmarkInfo,
        _ plan: SamplingPlan,
        process: Int,
        processor: Int?
    ) throws(BenchmarkError) -> ProcessRun {
        let start = UTC.now
        let worker = try program.worker(benchmark, processor: processor)
        var samples: [String: [Double]] = [:]
        if let metric = benchmark.ownMetric {
            samples[metric.name] = try worker.ask(.value)
        } else {
            for _ in 0..<Sampler.warmUps { _ = try worker.ask(.sample(iterations: plan.iterations)) }
            let count = max(3, min(Self.samples, 4 * plan.quads))
            for _ in 0..<count {
                let answer = try worker.ask(.sample(iterations: plan.iterations))
                for (metric, time) in zip([Metric.wall, .cpu], answer) {
                    samples[metric.name, default: []].append(time / Double(plan.iterations))
                }
            }
        }
        let facts = try worker.ask(.facts)
        var run = ProcessRun(process: process, start: start, samples: samples)
        run.cpu = benchmark.isPinned ? processor : nil
        if facts.count == 3 {
            if facts[0] > 0 { run.samples[Metric.peakRSS.name] = [facts[0]] }
            run.samples[Metric.faults.name] = [facts[1]]
            run.samples[Metric.switches.name] = [facts[2]]
        }
        return run
    }
}
