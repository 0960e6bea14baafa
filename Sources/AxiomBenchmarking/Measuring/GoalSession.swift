// SPDX-License-Identifier: Apache-2.0

/// Measures what has a goal, in one process after the other until the goal is judged. What missed is measured again after
/// everything else, so that one bad moment of the machine is not all that is seen.
final class GoalSession: MeasuringSession {
    /// Of each benchmark in a process, and of one that measures itself and refers to others.
    private static let (samples, values) = (20, 2)

    /// Judges the goals of `benchmarks`. Those to which they refer are in `all`.
    func judges(_ all: [BenchmarkInfo]) -> [GoalJudge] {
        let all = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        var judges = benchmarks.compactMap(GoalJudge.init)
        for round in 0..<GoalJudge.processes {
            let undecided = judges.indices.filter { !judges[$0].isDecided }
            progress.begin(round == 0 ? "Judging goals" : "Repeating what missed", steps: undecided.count)
            for index in undecided where !isOver {
                let (judge, processor) = (judges[index], processor(round))
                let value = attempt(judge.info) { () throws(BenchmarkError) in try measured(judge, all, processor) }
                if let value { judges[index].add(value) }
                progress.step()
            }
        }
        progress.end()
        return judges
    }

    /// What new processes measure: the benchmark and those to which its goal refers, in turns, on one processor.
    private func measured(
        _ judge: GoalJudge,
        _ all: [String: BenchmarkInfo],
        _ processor: Int?
    ) throws(BenchmarkError) -> Double {
        var parts: [String: Part] = [:]
        for id in [judge.info.id] + judge.goal.others {
            guard let info = all[id] else { continue }
            let iterations = try plan(info, .current, processor).iterations
            let isShort = [Repetitions.variable: "1"]
            let worker = try MeasuredProgram.current.worker(info, processor: processor, environment: isShort)
            let values = judge.goal.others.isEmpty ? 1 : Self.values
            parts[id] =
                info.own == nil
                ? Part(worker: worker, command: .sample(iterations: iterations), count: Self.samples, by: iterations)
                : Part(worker: worker, command: .value, count: values)
        }
        for sample in -Sampler.warmUps..<Self.samples {
            for id in parts.keys.sorted() { try parts[id]?.take(isKept: sample >= 0) }
        }
        return judge.goal.measured(judge.info.id) { parts[$0]?.figure } ?? .nan
    }

    /// A process of one benchmark, and what it measured.
    private struct Part {
        let worker: WorkerProcess
        let command: WorkerCommand
        let count: Int
        var by = 1
        var figures: [Double] = []

        /// Takes one sample, if it needs one more; only those of bodies warm up.
        mutating func take(isKept: Bool) throws(BenchmarkError) {
            guard isKept ? figures.count < count : command != .value else { return }
            let answer = try worker.ask(command).first ?? .nan
            if isKept { figures.append(answer / Double(by)) }
        }

        /// The first decile, which excludes samples that other processes disturbed.
        var figure: Double? { figures.isEmpty ? nil : figures.sorted()[figures.count / 10] }
    }
}
