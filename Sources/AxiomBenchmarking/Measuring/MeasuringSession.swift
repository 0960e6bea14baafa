// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics

/// What is measured in one run of the tool, and what came of it. ``SoloSession`` and ``DuetSession`` measure.
class MeasuringSession {
    final let settings: RunSettings
    final let progress: Progress
    final let benchmarks: [BenchmarkInfo]
    /// Counts the requested metrics.
    final let counter: CountRunner
    final var generator: SeededGenerator
    final private(set) var notes: [String] = []
    final private(set) var crashes: [String: BenchmarkError] = [:]
    final private(set) var plans: [String: SamplingPlan] = [:]
    private let processors = ProcessFacts.processors

    init(_ benchmarks: [BenchmarkInfo], _ settings: RunSettings, _ progress: Progress) {
        (self.benchmarks, self.settings, self.progress) = (benchmarks, settings, progress)
        let counters = Counters()
        let metrics = settings.counted(instructionsBy: counters.instructions.backend)
        counter = CountRunner(counters: counters, metrics: metrics)
        generator = SeededGenerator(seed: settings.seed)
    }

    /// Whether the time is over.
    final var isOver: Bool { settings.budget.map { progress.seconds > $0 } ?? false }

    /// The processors take turns.
    final func processor(_ round: Int) -> Int? { processors.isEmpty ? nil : processors[round % processors.count] }

    final func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    /// Doubts about a benchmark itself.
    ///
    /// - Parameter nanoseconds: What an iteration took; nil for what it took before the measurement.
    final func lints(_ id: String, nanoseconds: Double? = nil) -> [String] {
        guard let benchmark = benchmarks.first(where: { $0.id == id }), let plan = plans[id] else { return [] }
        return Lint.check(benchmark, plan, nanoseconds: nanoseconds ?? plan.nanoseconds)
    }

    final var crashFindings: [ComparisonFinding] {
        crashes.sorted { $0.key < $1.key }.map { ComparisonFinding($0.key, .wall, .crashed, $0.value.description) }
    }

    /// Measures a benchmark, unless it has crashed before; nil if it crashes.
    final func attempt<Value>(
        _ benchmark: BenchmarkInfo,
        _ body: () throws(BenchmarkError) -> Value
    ) -> Value? {
        guard crashes[benchmark.id] == nil else { return nil }
        do {
            return try body()
        } catch {
            crashes[benchmark.id] = error
            return nil
        }
    }

    /// The plan of a benchmark, made with its first measurement.
    final func plan(
        _ benchmark: BenchmarkInfo,
        _ program: MeasuredProgram,
        _ processor: Int?
    ) throws(BenchmarkError) -> SamplingPlan {
        if let known = plans[benchmark.id] { return known }
        let plan = try SamplingPlan(program, benchmark, processor: processor)
        plans[benchmark.id] = plan
        return plan
    }

    /// Counts each benchmark, if a metric is to be counted.
    final func count(_ body: (BenchmarkInfo) throws(BenchmarkError) -> Void) {
        progress.begin("Counting", steps: benchmarks.count)
        for benchmark in benchmarks where !isOver {
            _ = attempt(benchmark) { () throws(BenchmarkError) in try body(benchmark) }
            progress.step()
        }
    }
}
