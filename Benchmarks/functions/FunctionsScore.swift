// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomBenchmarking
internal import AxiomStatistics
internal import Foundation

/// `functions-score`: how often the report of a regression names the function that became slower.
@main
enum FunctionsScore {
    static func main() {
        // A worker of a comparison.
        if PlantedTree.own != nil { return PlantedBenchmarks.main() }
        ScoreCommand.main()
    }
}

struct ScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "functions-score",
        abstract: "Plants slow-downs and refactorings in programs of 30 functions, and counts what is named.",
        subcommands: [SlowScore.self, MovedScore.self]
    )
}

struct ScoreOptions: ParsableArguments {
    @Option(help: "How many programs are compared: 1 to 10000.")
    var runs = 100

    @Option(help: "The seed of the first program; the next one has the next seed.")
    var seed: UInt64 = 1

    @Flag(help: "Prints each comparison.")
    var verbose = false

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs is \(runs); 1 to 10000 are allowed.") }
    }

    /// Compares a program of each seed with another one.
    func compare(
        needsChange: Bool,
        _ judge: (inout PlantedTree, inout SeededGenerator) -> (String, (ChangedFunctions) -> Bool)
    ) throws -> Int {
        var right = 0
        let start = ContinuousClock.now
        for seed in seed..<seed + UInt64(runs) {
            var random = SeededGenerator(seed: seed)
            let old = PlantedTree(using: &random)
            var new = old
            let (words, isRight) = judge(&new, &random)
            let result = try changedFunctions(
                of: PlantedBenchmarks.suite,
                from: old.environment,
                to: new.environment,
                seed: seed,
                needsChange: needsChange
            )
            let isGood = isRight(result)
            right += isGood ? 1 : 0
            if verbose || !isGood {
                print("\(isGood ? "right" : "WRONG"), seed \(seed): \(words); \(Self.words(result))")
            }
            fflush(nil)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(runs)
        print("\(Format.seconds(seconds)) for each comparison")
        return right
    }

    private static func words(_ result: ChangedFunctions) -> String {
        let named = result.named.map { function in
            "\(function.name) \(Int(function.change)) ns (\(Int(100 * function.share)) %)"
        }
        return "\(result.samples) samples in \(result.rounds) rounds: "
            + (named.isEmpty ? "none (\(result.reason ?? ""))" : named.joined(separator: ", "))
    }

    enum Format {
        static func seconds(_ value: Double) -> String { String(format: "%.1f s", value) }
        static func percent(_ value: Double) -> String { String(format: "%.2f %%", 100 * value) }
    }
}

/// Slow-downs of 2 to 10 %.
struct SlowScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow",
        abstract: "Makes a function slower by 2 to 10 % of the whole program: it must be named first.",
        discussion: "Exit status: 0 if it is named first in 95 % of the programs; 1 if not; 64 for wrong options."
    )

    @OptionGroup var options: ScoreOptions

    @Flag(help: "Refactors each program, too.")
    var refactored = false

    func run() throws {
        let count = try options.compare(needsChange: true) { tree, random in
            let slow = tree.slowDown(using: &random)
            let more = refactored ? ", \(tree.refactor(besides: slow.function, using: &random))" : ""
            let name = PlantedTree.name(slow.function)
            let words = "\(name) slower by \(ScoreOptions.Format.percent(slow.share)) of the whole\(more)"
            return (words, { $0.named.first?.name == name })
        }
        let low = try BinomialDistribution.clopperPearson(successes: count, trials: options.runs).lowerBound
        let bound = ScoreOptions.Format.percent(low)
        print("named first: \(count) of \(options.runs), with 95 % confidence at least \(bound)")
        if count * 100 < options.runs * 95 { throw ExitCode.failure }
    }
}

/// Refactorings.
struct MovedScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "moved",
        abstract: "Moves time between functions without a change of the whole: none must be named.",
        discussion:
            "Exit status: 0 if functions are named in at most 1 % of the programs; 1 if not; 64 for wrong options."
    )

    @OptionGroup var options: ScoreOptions

    @Flag(help: "Compares the functions even if the samples do not show that the whole program became slower.")
    var always = false

    func run() throws {
        let count = try options.compare(needsChange: !always) { tree, random in
            (tree.refactor(using: &random), { $0.named.isEmpty })
        }
        let alarms = options.runs - count
        let high = try BinomialDistribution.clopperPearson(successes: alarms, trials: options.runs).upperBound
        print("alarms: \(alarms) of \(options.runs), with 95 % confidence at most \(ScoreOptions.Format.percent(high))")
        if alarms * 100 > options.runs { throw ExitCode.failure }
    }
}
