// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Measures one build alone.
final class SoloSession: MeasuringSession {
    /// Measures everything.
    func records() -> [BenchmarkRecord] {
        var counts: [String: [Metric: [Double]]] = [:]
        count { (benchmark) throws(BenchmarkError) in
            counts[benchmark.id] = try counter.counts(.current, benchmark)
        }
        var runs: [String: [ProcessRun]] = [:]
        if needsRuns {
            let processes = SoloRunner.processes
            progress.begin("Measuring", steps: processes * benchmarks.count)
            for process in 0..<processes where !isOver {
                for benchmark in benchmarks.shuffled(using: &generator) where !isOver {
                    if let run = run(benchmark, process) { runs[benchmark.id, default: []].append(run) }
                    progress.step()
                }
            }
        }
        progress.end()
        if isOver { note("the budget ended before everything was measured") }
        return benchmarks.map { Recorder.record($0, runs[$0.id] ?? [], counts[$0.id] ?? [:], settings) }
    }

    private var needsRuns: Bool {
        !settings.metrics.isDisjoint(with: [.wall, .cpu, .peakRSS, .faults, .switches, .throughput, .value])
    }

    private func run(_ benchmark: BenchmarkInfo, _ process: Int) -> ProcessRun? {
        let processor = processor(process)
        return attempt(benchmark) { () throws(BenchmarkError) in
            let plan = try plan(benchmark, .current, processor)
            return try SoloRunner.run(benchmark, plan, process: process, processor: processor)
        }
    }
}

/// Takes the samples of one process of this program.
enum SoloRunner {
    /// The number of processes that a file needs for a comparison of times.
    static let processes = 10
    static let samples = 20

    static func run(
        _ benchmark: BenchmarkInfo,
        _ plan: SamplingPlan,
        process: Int,
        processor: Int?
    ) throws(BenchmarkError) -> ProcessRun {
        let start = UTC.now
        let worker = try MeasuredProgram.current.worker(benchmark, processor: processor)
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
