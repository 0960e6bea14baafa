// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBenchmarking
internal import AxiomStatistics
internal import Foundation

/// `history-score`: how well methods find the changes of annotated and of generated series.
@main
struct HistoryScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history-score",
        abstract: "Scores methods that find changes of a level, on annotated series and on generated ones.",
        discussion: """
            The folder has series in the format of the Turing Change Point Dataset, in any folders below it, and their \
            annotations.json. F1 and covering are those of its benchmark (Van den Burg and Williams, 2020): a change \
            is found if one is within five numbers of it, and both are averages over the annotators. Series of several \
            dimensions or with gaps are left out. Generated series are those of benchmarks: 20 to 120 files whose numbers \
            vary by 1 %.
            """
    )

    @Argument(help: "The folder of the annotated series; without it only generated ones are scored.")
    var folder: String?

    @Option(help: "How many series of each kind are generated: 0 to 10000.")
    var runs = 200

    @Option(help: "The seed of the first series of a kind; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(help: "The probability of a change in independent numbers without one: 0.0001 to 0.2.")
    var level = 0.01

    @Flag(help: "Print the scores of each annotated series.")
    var verbose = false

    func validate() throws {
        guard (0...10_000).contains(runs) else { throw ValidationError("--runs is \(runs); 0 to 10000 are allowed.") }
        guard (0.0001...0.2).contains(level) else {
            throw ValidationError("--level is \(level); 0.0001 to 0.2 are allowed.")
        }
    }

    func run() throws {
        if let folder { try scoreAnnotated(try AnnotatedSeries.load(from: folder)) }
        if runs > 0 { try scoreGenerated() }
    }

    private func scoreAnnotated(_ loaded: (series: [AnnotatedSeries], leftOut: [String])) throws {
        print("annotated: \(loaded.series.count) series; left out: \(loaded.leftOut.sorted().joined(separator: ", "))")
        for method in Method.allCases {
            var (sum, points) = (SegmentationScore(f1: 0, covering: 0), 0)
            for series in loaded.series {
                let found = method.changes(of: series.values, level: level, seed: seed)
                let score = SegmentationScore(found, annotations: series.annotations, count: series.values.count)
                if verbose { print("  \(series.name), \(method): \(score.words), \(found.count) found") }
                sum.f1 += score.f1 / Double(loaded.series.count)
                sum.covering += score.covering / Double(loaded.series.count)
                points += found.count
            }
            print("\(method): \(sum.words), \(points) found")
        }
    }

    private func scoreGenerated() throws {
        print("generated: \(runs) series of each kind, seed \(seed), level \(level)")
        for kind in GeneratedSeries.Kind.allCases {
            let series = (0..<runs).map { GeneratedSeries(kind, seed: seed &+ UInt64($0)) }
            for method in Method.allCases where method != .none {
                print("\(kind.rawValue), \(method): \(try words(series, method))")
            }
        }
    }

    /// The scores of series with changes, and the share of those without one in which any is found.
    private func words(_ all: [GeneratedSeries], _ method: Method) throws -> String {
        var (sum, alarms) = (SegmentationScore(f1: 0, covering: 0), 0)
        for (number, series) in all.enumerated() {
            let found = method.changes(of: series.values, level: level, seed: seed &+ UInt64(number))
            let score = SegmentationScore(found, annotations: [series.changes], count: series.values.count)
            sum.f1 += score.f1 / Double(all.count)
            sum.covering += score.covering / Double(all.count)
            alarms += found.isEmpty ? 0 : 1
        }
        guard all.allSatisfy(\.changes.isEmpty) else { return sum.words }
        let bound = try BinomialDistribution.clopperPearson(successes: alarms, trials: all.count).upperBound
        return "something in \(alarms) of \(all.count), " + String(format: "at most %.1f %%", 100 * bound)
    }
}

/// How changes are found.
enum Method: String, CaseIterable, CustomStringConvertible {
    /// Nothing is found: what a score of 0 changes is worth.
    case none
    /// Pettitt's test, as it was used before.
    case pettitt = "Pettitt"
    case divisive = "e-divisive"
    /// With the second test for correlated numbers: what `history` does.
    case history = "e-divisive, correlation"

    var description: String { rawValue }

    func changes(of values: [Double], level: Double, seed: UInt64) -> [Int] {
        switch self {
        case .none: []
        case .pettitt: PettittPoints(level: level, seed: seed).find(values)
        case .divisive:
            ChangePoints(level: level, seed: seed, expectsCorrelation: false).find(values).map(\.index)
        case .history: ChangePoints(level: level, seed: seed).find(values).map(\.index)
        }
    }
}
