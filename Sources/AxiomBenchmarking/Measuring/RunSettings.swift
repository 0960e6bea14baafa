// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile

/// How a run measures and judges.
struct RunSettings: Sendable {
    var alpha = 0.01
    var minimumEffect = 0.02
    /// The least effect on sizes of the process, and the least in bytes.
    var residentEffect = 0.05
    var residentFloor = 1_048_576.0
    /// How much worse a time must get where the instructions are the same: code that moved in memory does so much.
    var layoutEffect = 0.05
    /// Whether instructions are counted to tell moved code from slow code. What a self-test injects is not counted.
    var checksLayout = true
    var metrics: Set<Metric> = Set(Metric.standard)
    /// Seconds; nil without an end.
    var budget: Double?
    var seed: UInt64 = 1

    init() {}

    init(_ options: RunOptions) throws {
        alpha = options.alpha
        minimumEffect = try options.effect
        metrics = try options.metricSet
        budget = try options.seconds
        seed = options.seed
    }

    /// Whether any metric is judged in pairs.
    func judgesPairs(_ benchmarks: [BenchmarkInfo]) -> Bool {
        benchmarks.enumerated().contains { !rows($0.offset, $0.element).isEmpty }
    }

    /// What is compared in pairs for a benchmark.
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

    /// What is counted for a benchmark, with this backend for instructions.
    func counted(instructionsBy backend: String) -> Set<Metric> {
        var counted = metrics.intersection(Metric.counts)
        // Unless asked for by name: a second for each run is much where allocations take milliseconds.
        if backend == "callgrind", metrics == Set(Metric.standard) { counted.remove(.instructions) }
        return counted
    }
}
