// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// How a run measures and judges.
struct RunSettings: Sendable {
    var alpha = 0.01
    var minimumEffect = 0.02
    /// The least relative effect on the size of a process, and the least in bytes.
    var residentEffect = 0.05
    var residentFloor = 1_048_576.0
    /// The least change of a time with equal instructions: code that moved in memory causes smaller ones.
    var layoutEffect = 0.05
    /// Whether instructions are counted to distinguish moved code from slow code. A self-test injects time without any.
    var checksLayout = true
    /// Whether a program is compared with its copy beside each pair.
    var measuresControls = true
    /// The most regressions whose functions are named: each takes some ten seconds.
    var profiled = 8
    var metrics: Set<Metric> = Set(Metric.standard)
    /// Whether the user named instructions. Otherwise they are counted only if the processor counts them.
    var namesInstructions = false
    /// Seconds; nil without a limit.
    var budget: Double?
    var seed: UInt64 = 1

    /// Whether any metric is judged in pairs.
    func judgesPairs(_ benchmarks: [BenchmarkInfo]) -> Bool {
        benchmarks.enumerated().contains { !rows($0.offset, $0.element).isEmpty }
    }

    /// Whether times are judged, which depend on where code is in memory.
    func judgesTimes(_ benchmarks: [BenchmarkInfo]) -> Bool {
        benchmarks.enumerated().contains { rows($0.offset, $0.element).contains { $0.metric != .peakRSS } }
    }

    /// The metrics of a benchmark that are compared in pairs.
    func rows(_ index: Int, _ benchmark: BenchmarkInfo) -> [ComparedRow] {
        var rows: [ComparedRow] = []
        func add(_ metric: Metric, _ effect: Double, _ floor: Double) {
            guard metrics.contains(metric) || metric == benchmark.ownMetric && metrics.contains(.value) else { return }
            rows.append(
                ComparedRow(
                    benchmark: index,
                    id: benchmark.id,
                    metric: metric,
                    minimumEffect: effect,
                    absoluteFloor: floor
                )
            )
        }
        let effect = benchmark.minimumEffect ?? minimumEffect
        if let own = benchmark.ownMetric {
            if own.kind == .noisy || own.kind == .sampled { add(own, effect, 0) }
        } else {
            if benchmark.judgesTime {
                add(.wall, effect, benchmark.absoluteFloor)
                add(.cpu, effect, benchmark.absoluteFloor)
            }
            add(.peakRSS, residentEffect, residentFloor)
        }
        return rows
    }

    /// The metrics that are counted, with this backend for instructions.
    func counted(instructionsBy backend: String = Counters().instructions.backend) -> Set<Metric> {
        var counted = metrics.intersection(Metric.counts)
        // Valgrind takes a second for each run: only if instructions are requested by name.
        if backend == "callgrind", !namesInstructions { counted.remove(.instructions) }
        return counted
    }
}
