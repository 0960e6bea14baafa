// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Measures what has a goal, each in one process after the other until the goal is judged. What missed is measured again
/// after everything else, so that one bad moment of the machine is not all that is seen.
final class GoalSession: MeasuringSession {
    /// Of each benchmark in a process, and of one that measures itself and refers to others.
    private static let (samples, values) = (20, 2)

    private let all: [String: BenchmarkInfo]
    private let wanted: [BenchmarkInfo]

    /// - Parameter all: Those to which goals refer are among them.
    init(_ selected: [BenchmarkInfo], _ all: [BenchmarkInfo], _ settings: RunSettings) {
        self.all = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        let wanted = selected.filter { $0.goal != nil }
        self.wanted = wanted
        super.init(wanted.filter { $0.unmeasured == nil }, settings, Progress())
    }

    /// Measures and judges. The worst rows are the first.
    ///
    /// - Throws: ``BenchmarkError`` with the code `usage` if a goal refers to no benchmark.
    func report() throws(BenchmarkError) -> Report {
        for info in wanted {
            guard let other = info.goal?.others.first(where: { all[$0] == nil }) else { continue }
            throw BenchmarkError(.usage, "the goal of \(info.id) refers to \(other), which is no benchmark")
        }
        let judges = judged()
        let verdicts = Dictionary(judges.map { ($0.info.id, $0.verdict) }) { first, _ in first }
        let order: [GoalJudge.Verdict?] = [.missed, .inconclusive, nil, .open, .met]
        let rows = order.flatMap { verdict in wanted.filter { verdicts[$0.id] == verdict } }
        var builder = ReportBuilder(rows, settings, mode: "goals")
        for judge in judges where crashes[judge.info.id] == nil { builder.add(judge) }
        builder.add(crashFindings)
        builder.report.notes += crashes.values.map { "crashed: \($0)" }.sorted()
        if wanted.isEmpty { builder.report.notes.append("nothing that was selected has a goal") }
        return builder.finish(seconds: progress.seconds)
    }

    private func judged() -> [GoalJudge] {
        var judges = benchmarks.compactMap(GoalJudge.init)
        for round in 0..<GoalJudge.processes {
            let undecided = judges.indices.filter { !judges[$0].isDecided }
            progress.begin(round == 0 ? "Judging goals" : "Repeating what missed", steps: undecided.count)
            for index in undecided where !isOver {
                let judge = judges[index]
                let value = attempt(judge.info) { () throws(BenchmarkError) in try measured(judge, processor(round)) }
                if let value { judges[index].add(value) }
                progress.step()
            }
        }
        progress.end()
        return judges
    }

    /// What new processes measure: the benchmark and those to which its goal refers, in turns, on one processor.
    private func measured(_ judge: GoalJudge, _ processor: Int?) throws(BenchmarkError) -> Double {
        var parts: [String: Part] = [:]
        for id in [judge.info.id] + judge.goal.others where parts[id] == nil {
            guard let info = all[id] else { continue }
            let samples = info.own == nil ? Self.samples : judge.goal.others.isEmpty ? 1 : Self.values
            parts[id] = Part(info, try plan(info, .current, processor), try worker(info, processor), samples)
        }
        for sample in -Sampler.warmUps..<Self.samples {
            for id in parts.keys.sorted() { try parts[id]?.take(isKept: sample >= 0) }
        }
        return judge.goal.measured(judge.info.id) { parts[$0]?.figure } ?? .nan
    }

    private func worker(_ info: BenchmarkInfo, _ processor: Int?) throws(BenchmarkError) -> WorkerProcess {
        try MeasuredProgram.current.worker(info, processor: processor, environment: [Repetitions.variable: "1"])
    }

    /// A process of one benchmark, and what it measured.
    private struct Part {
        private let plan: SamplingPlan
        private let worker: WorkerProcess
        private let isValue: Bool
        private let samples: Int
        private var figures: [Double] = []

        init(_ info: BenchmarkInfo, _ plan: SamplingPlan, _ worker: WorkerProcess, _ samples: Int) {
            (self.plan, self.worker, self.samples) = (plan, worker, samples)
            isValue = info.own != nil
        }

        /// Takes one sample, if it needs one more.
        mutating func take(isKept: Bool) throws(BenchmarkError) {
            guard isKept ? figures.count < samples : !isValue else { return }
            let answer = try worker.ask(isValue ? .value : .sample(iterations: plan.iterations)).first
            if isKept { figures.append((answer ?? .nan) / Double(plan.iterations)) }
        }

        /// The first decile, which excludes samples that other processes disturbed.
        var figure: Double? { figures.isEmpty ? nil : figures.sorted()[figures.count / 10] }
    }
}
