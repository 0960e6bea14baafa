// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBenchmarking
internal import Foundation

/// `bisect-score replay`: many planted histories, with recorded noise and costs.
struct ReplayScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract:
            "Bisects planted histories with recorded noise, and counts right and wrong answers beside git bisect.",
        discussion: """
            A history has 32 to 128 commits, of which one is 5 % slower than the one before. A fifth of the histories has a \
            second step of a fifth to three fifths of that, a tenth of the commits cannot be built, and each commit has the \
            effect of its build and a small drift. Noise and costs are those of real pairs and builds (see record). An answer is \
            a range if the planted commit is among commits of which all but one cannot be built.

            git bisect judges the middle commit by the test of the gate, up to three times while that is inconclusive.

            Histories without a step have build effects and noise, and no drift.

            Exit status: 0 if at most 1 % of the histories have a wrong answer, with fewer builds than git bisect, and each \
            history without a step is refused; 1 if not; 2 if the noise cannot be read; 64 for wrong options.
            """
    )

    @Option(help: "How many histories with a step: 1 to 100000.")
    var runs = 100

    @Option(help: "How many histories without a step: 0 to 100000.")
    var empty = 50

    @Option(help: "The seed of the first history; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(help: "The standard deviation of the change of each commit without a step, in percent: 0 to 1.")
    var drift = 0.1

    @Option(help: "The file with the noise; by default that of this repository.")
    var noise = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../evidence/bisect-noise.json").standardized.path

    @Flag(help: "Prints each history with another answer than the planted commit.")
    var verbose = false

    func validate() throws {
        try (1...100_000).check(runs, "--runs")
        try (0...100_000).check(empty, "--empty")
        guard (0...1).contains(drift) else { throw ValidationError("--drift is \(drift); 0 to 1 are allowed.") }
    }

    func run() throws {
        let replay: NoiseReplay
        do {
            replay = try NoiseReplay(RecordedNoise(path: noise))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            throw ExitCode(2)
        }
        describe(replay)
        var shape = HistoryShape()
        shape.drift = drift / 100
        var (bisect, git) = (BisectTally(), BisectTally())
        for seed in seeds(runs) {
            let history = PlantedHistory(seed: seed, shape, replay)
            try bisect.add(bisected(history, replay, seed))
            try git.add(gitBisected(history, replay, seed))
        }
        print(BisectTally.heading)
        print(try bisect.line("axiom-bench bisect"))
        print(try git.line("git bisect, repeated"))
        let isRefused = try scoreEmpty(shape, replay)
        let isRight = bisect[.wrong] * 100 <= runs && bisect.meanBuilds < git.meanBuilds
        if !isRefused || !isRight { throw ExitCode.failure }
    }

    private func seeds(_ count: Int) -> [UInt64] { (0..<UInt64(count)).map { seed &+ $0 } }

    private func describe(_ replay: NoiseReplay) {
        let (noise, spread) = (replay.noise, replay.spread)
        let build = noise.buildSeconds.reduce(0, +) / Double(noise.buildSeconds.count)
        print(
            """
            \(runs) histories of 32 to 128 commits with a step of 5 %, seed \(seed), drift \((drift / 100).percent) a commit
            noise: \(noise.pairs) pairs in \(noise.series.count) series of \(replay.count) benchmarks, of \(noise.processor); \
            deviation of a pair \(spread.pairs.percent), effect of two builds \(spread.builds.percent) (medians)
            costs: \(String(format: "%.1f s a build, %.2f s a pair", build, replay.pairSeconds))

            """
        )
    }

    private func bisected(
        _ history: PlantedHistory,
        _ replay: NoiseReplay,
        _ seed: UInt64
    ) throws -> (BisectOutcome, BisectCost) {
        var bisection = CommitBisection(SimulatedMachine(history, replay, seed: seed, stream: 2))
        let result = try bisection.run()
        let outcome: BisectOutcome =
            switch result {
            case .found(let step), .among(let step): BisectOutcome(named: step.commits, step: history.step)
            case .refused: .refused
            case .undecided: .undecided
            }
        if verbose, outcome != .right, history.step != nil || outcome != .refused {
            print("seed \(seed): \(outcome), of \(history.last) commits \(Self.words(history)): \(result)")
        }
        return (outcome, bisection.history.cost)
    }

    private func gitBisected(
        _ history: PlantedHistory,
        _ replay: NoiseReplay,
        _ seed: UInt64
    ) throws -> (BisectOutcome, BisectCost) {
        var bisection = GitBisection(SimulatedMachine(history, replay, seed: seed, stream: 3))
        let named = try bisection.run()
        let outcome = named.map { BisectOutcome(named: $0, step: history.step) } ?? .refused
        return (outcome, bisection.machine.cost)
    }

    private static func words(_ history: PlantedHistory) -> String {
        guard let step = history.step, let answer = history.answer else { return "without a step" }
        return "\(step) is slow (to be told: \(answer.lowerBound) to \(answer.upperBound))"
            + (history.secondStep.map { ", and \($0) a little" } ?? "")
    }

    /// Bisects histories without a step, and returns whether each was refused.
    private func scoreEmpty(_ shape: HistoryShape, _ replay: NoiseReplay) throws -> Bool {
        guard empty > 0 else { return true }
        var (shape, tally) = (shape, BisectTally())
        shape.step = nil
        for seed in seeds(empty) {
            try tally.add(bisected(PlantedHistory(seed: seed, shape, replay), replay, seed))
        }
        print(
            """

            \(empty) histories without a step: refused \(tally[.refused]), undecided \(tally[.undecided]), a commit named \
            \(tally[.wrong]) (at most \(try tally.bound(.wrong).percent))
            """
        )
        return tally[.refused] == empty
    }
}

extension BisectTally {
    fileprivate mutating func add(_ result: (BisectOutcome, BisectCost)) { add(result.0, result.1) }
}
