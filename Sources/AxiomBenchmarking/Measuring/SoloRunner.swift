// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

/// Measures one build alone, in several processes: for a report, or for a baseline file.
struct SoloRunner {
    /// As many processes as a file needs for its times to be compared at all.
    static let processes = 10
    static let samples = 20

    let program: MeasuredProgram

    /// Takes the samples of one process.
    func run(
        _ benchmark: BenchmarkInfo,
        _ plan: PairRunner.Plan,
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

/// The time of the day, as baseline files have it.
enum UTC {
    /// As `2026-01-31T12:00:00Z`.
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02dZ",
            Int(parts.tm_year) + 1_900,
            Int(parts.tm_mon) + 1,
            Int(parts.tm_mday),
            Int(parts.tm_hour),
            Int(parts.tm_min),
            Int(parts.tm_sec)
        )
    }
}
