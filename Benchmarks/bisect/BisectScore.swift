// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// `bisect-score`: how often a bisection names the planted commit.
@main
struct BisectScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect-score",
        abstract: "Plants histories with one slow commit, and counts how often a bisection names another one.",
        subcommands: [ReplayScore.self, RealScore.self, NoiseRecorder.self],
        defaultSubcommand: ReplayScore.self
    )
}

/// How a bisection of a planted history ended.
enum BisectOutcome: String, CaseIterable {
    /// The planted commit was named.
    case right
    /// The planted commit is in the range that was named, and nothing in this range can be measured alone.
    case range
    /// No commit was named.
    case undecided
    /// The bisection said that nothing got slower.
    case refused
    /// Another commit was named, or a range without the planted one.
    case wrong

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - named: The candidates that were named.
    ///   - step: The planted commit.
    init(named: ClosedRange<Int>, step: Int?) {
        guard let step, named.contains(step) else {
            self = .wrong
            return
        }
        self = named.count == 1 ? .right : .range
    }
}

/// What bisections answered, and what they cost.
struct BisectTally {
    private var counts: [BisectOutcome: Int] = [:]
    private var (builds, pairs, seconds) = (0, 0, 0.0)

    mutating func add(_ outcome: BisectOutcome, _ cost: BisectCost) {
        counts[outcome, default: 0] += 1
        builds += cost.builds
        pairs += cost.pairs
        seconds += cost.seconds
    }

    var all: Int { counts.values.reduce(0, +) }

    subscript(_ outcome: BisectOutcome) -> Int { counts[outcome] ?? 0 }

    /// The share of an outcome that is not exceeded, with 95 % confidence (Clopper and Pearson).
    func bound(_ outcome: BisectOutcome) throws -> Double {
        try BinomialDistribution.clopperPearson(successes: self[outcome], trials: all).upperBound
    }

    var meanBuilds: Double { Double(builds) / Double(max(1, all)) }

    static let heading = line(
        "",
        BisectOutcome.allCases.map(\.rawValue) + ["wrong at most", "builds", "pairs", "seconds"]
    )

    func line(_ name: String) throws -> String {
        let means = [meanBuilds, Double(pairs) / Double(max(1, all)), seconds / Double(max(1, all))]
        return Self.line(
            name,
            BisectOutcome.allCases.map { "\(self[$0])" } + [try bound(.wrong).percent]
                + means.map { String(format: "%.2f", $0) }
        )
    }

    private static func line(_ name: String, _ columns: [String]) -> String {
        columns.reduce(name.padding(toLength: 24, withPad: " ", startingAt: 0)) { line, column in
            line + String(repeating: " ", count: max(2, 15 - column.count)) + column
        }
    }
}

/// What one bisection needed.
struct BisectCost {
    /// Attempts to build a commit.
    var builds = 0
    /// Pairs of processes.
    var pairs = 0
    var seconds = 0.0
}

extension Double {
    /// With two digits after the point.
    var percent: String { String(format: "%.2f %%", self * 100) }
}

extension ClosedRange<Int> {
    /// - Throws: A `ValidationError` that names the option and what is allowed, unless the value is.
    func check(_ value: Int, _ option: String) throws {
        guard contains(value) else {
            throw ValidationError("\(option) is \(value); \(lowerBound) to \(upperBound) are allowed.")
        }
    }
}
