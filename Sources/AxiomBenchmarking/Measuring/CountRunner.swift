// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Counts for an iteration in three processes: equal numbers show that a metric is exact. If they differ, it counts in nine
/// more: in a few processes the runtime allocates a block more for a task, so that most of them decide (``CountJudge``).
struct CountRunner {
    static let (runs, runsIfTheyDiffer) = (3, 12)
    /// Fixed seeds of hashes, so that dictionaries take the same number of steps in every run.
    private static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    let counters: Counters
    let metrics: Set<Metric>

    /// Why a requested metric is not counted.
    var reasons: [Metric: String] {
        var reasons: [Metric: String] = [:]
        if counters.instructions.backend == "unavailable" { reasons[.instructions] = counters.instructions.why }
        if usesCallgrind, let problem = Counters.valgrindProblem { reasons[.instructions] = problem }
        if counters.allocations.backend == "unavailable" {
            (reasons[.allocations], reasons[.bytes]) = (counters.allocations.why, counters.allocations.why)
        }
        return reasons
    }

    /// The counts of each run for one iteration, by metric.
    func counts(_ program: MeasuredProgram, _ benchmark: BenchmarkInfo) throws(BenchmarkError) -> [Metric: [Double]] {
        // Counts of concurrent threads differ from run to run.
        guard benchmark.isPinned, benchmark.uncounted == nil else { return [:] }
        var counts: [Metric: [Double]] = [:]
        for run in 0..<Self.runsIfTheyDiffer where run < Self.runs || Self.differ(counts) {
            for (metric, value) in try countOnce(program, benchmark) { counts[metric, default: []].append(value) }
        }
        return counts
    }

    private static func differ(_ counts: [Metric: [Double]]) -> Bool {
        counts.contains { $0.kind == .exact && Set($1).count > 1 }
    }

    private func countOnce(
        _ program: MeasuredProgram,
        _ benchmark: BenchmarkInfo
    ) throws(BenchmarkError) -> [Metric: Double] {
        if let own = benchmark.ownMetric {
            guard own.kind == .exact || own.kind == .nearExact else { return [:] }
            let worker = try program.worker(benchmark, environment: Self.environment)
            return try worker.ask(.value).first.map { [own: $0] } ?? [:]
        }
        var counts: [Metric: Double] = [:]
        let iterations = benchmark.countedIterations
        let worker = try program.worker(benchmark, processor: nil, environment: Self.environment)
        let answer = try worker.ask(.count(iterations: iterations)).map { $0 / Double(iterations) }
        for (metric, value) in zip([Metric.allocations, .bytes, .instructions], answer)
        where metrics.contains(metric) && value >= 0 {
            counts[metric] = value
        }
        if metrics.contains(.retains) || metrics.contains(.releases) {
            let answer = try worker.ask(.references(iterations: iterations)).map { $0 / Double(iterations) }
            for (metric, value) in zip([Metric.retains, .releases], answer) where metrics.contains(metric) && value >= 0
            {
                counts[metric] = value
            }
        }
        if usesCallgrind, counts[.instructions] == nil { counts[.instructions] = try callgrind(program, benchmark) }
        return counts
    }

    private var usesCallgrind: Bool {
        metrics.contains(.instructions) && counters.instructions.backend == "callgrind"
    }

    /// The instructions of an iteration under callgrind, which counts between the meter's start and stop.
    func callgrind(_ program: MeasuredProgram, _ benchmark: BenchmarkInfo) throws(BenchmarkError) -> Double? {
        guard let valgrind = counters.valgrind, Counters.valgrindProblem == nil else { return nil }
        let wrapper = [valgrind, "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"]
        let stage = try Stage()
        let bare = try stage.copyWithoutSymbols(program, to: "bare")
        let worker = try bare.worker(benchmark, wrapper: wrapper, environment: Self.environment)
        // The iterations that warm up are counted as well.
        let iterations = benchmark.countedIterations
        _ = try worker.ask(.count(iterations: iterations))
        let printed = worker.finish()
        guard let line = printed.split(separator: "\n").last(where: { $0.contains("Collected : ") }),
            let total = line.split(separator: " ").last.flatMap({ Double($0) })
        else { return nil }
        return total / Double(2 * iterations)
    }
}
