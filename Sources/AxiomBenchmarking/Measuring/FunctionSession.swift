// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Samples two builds in turns until their functions can be compared.
struct FunctionSession {
    /// Milliseconds for which a process is sampled at a time.
    private static let slice = 150
    /// The rounds after which the samples are looked at: first 12,000 of each build.
    static let looks = [10, 20, 40]
    /// If so much of the change has names, there are no further rounds.
    private static let enough = 0.7

    let runner: PairRunner
    let benchmark: BenchmarkInfo
    let plan: SamplingPlan
    /// The probability that a function is named whose time did not change.
    let alpha: Double

    /// - Parameter prepare: Called before each round; returns its processor. Throws if the time is over.
    func changed(
        _ generator: inout SeededGenerator,
        needsChange: Bool = true,
        prepare: (Int) throws -> Int?
    ) throws -> ChangedFunctions {
        var rounds: [FunctionComparison.Round] = []
        var result = ChangedFunctions()
        for look in Self.looks {
            while rounds.count < look {
                do {
                    rounds.append(try round(processor: try prepare(rounds.count), &generator))
                } catch {
                    guard look > Self.looks[0] else { throw error }
                    return result
                }
            }
            let comparison = FunctionComparison(rounds, alpha: alpha / Double(Self.looks.count))
            result = try comparison.changed(needsChange: needsChange)
            if result.named.reduce(0, { $0 + $1.share }) >= Self.enough { break }
        }
        return result
    }

    /// Two new processes, which run in the order ABBA or BAAB.
    private func round(processor: Int?, _ generator: inout SeededGenerator) throws -> FunctionComparison.Round {
        let order = generator.index(below: 2) == 1 ? [1, 0, 0, 1] : [0, 1, 1, 0]
        var (costs, workers) = ([StackCosts(), StackCosts()], [Int: WorkerProcess]())
        for index in order {
            let program = index == 0 ? runner.baseline : runner.current
            let worker = try workers[index] ?? program.worker(benchmark, processor: processor)
            workers[index] = worker
            let path = NSTemporaryDirectory() + "/axiom-stacks.\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            _ = try worker.ask(.profile(milliseconds: Self.slice, iterations: plan.iterations, path: path))
            guard let read = StackCosts(text: try String(contentsOfFile: path, encoding: .utf8)) else {
                throw BenchmarkError(.crashed, "the process of \(benchmark.id) wrote no stacks")
            }
            costs[index].add(read)
        }
        return (costs[0], costs[1])
    }
}

/// Compares the functions of a benchmark in two environments of this program, for `functions-score`.
package func changedFunctions(
    of suite: BenchmarkSuite,
    from old: [String: String],
    to new: [String: String],
    seed: UInt64,
    needsChange: Bool
) throws -> ChangedFunctions {
    var (runner, generator) = (PairRunner(baseline: .current, current: .current), SeededGenerator(seed: seed))
    (runner.baseline.environment, runner.current.environment) = (old, new)
    let benchmark = BenchmarkInfo(suite.benchmarks[0])
    let plan = try SamplingPlan(runner.baseline, benchmark, processor: nil)
    let session = FunctionSession(runner: runner, benchmark: benchmark, plan: plan, alpha: 0.01)
    let processors = ProcessFacts.processors
    return try session.changed(&generator, needsChange: needsChange) { processors[$0 % processors.count] }
}
