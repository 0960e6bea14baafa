// SPDX-License-Identifier: Apache-2.0

/// A line of commits that a bisection builds and compares. Commit 0 is the good one, and `last` the bad one.
package protocol BisectedHistory {
    var last: Int { get }
    /// Whether the time for measuring is over.
    var isOver: Bool { get }
    /// What a build costs, by the builds so far.
    var buildSeconds: Double { get }
    /// What a pair of processes costs, by the pairs so far.
    var pairSeconds: Double { get }
    /// Whether a build of the commit is kept, so that it costs nothing.
    func isBuilt(_ commit: Int) -> Bool
    /// Builds a commit, and returns false if it cannot be built or measured.
    mutating func build(_ commit: Int) throws -> Bool
    /// Measures pairs of processes of two commits that were built.
    ///
    /// - Returns: The natural logarithm of newer over older for each pair, above 0 if the newer one is worse. Fewer if the
    ///   time is over.
    mutating func compare(_ pair: RevisionPair, pairs: Int) throws -> [Double]
    /// Saves all that was measured so far.
    mutating func keep(_ state: BisectionState) throws
}

/// Two commits of a history.
package struct RevisionPair: Hashable, Codable, Sendable {
    package let older: Int
    package let newer: Int

    package init(_ one: Int, _ other: Int) { (older, newer) = (min(one, other), max(one, other)) }

    /// The commits whose step is a part of the difference.
    var candidates: ClosedRange<Int> { older + 1...newer }
}

/// All that a bisection has measured. The same state leads to the same next comparison.
package struct BisectionState: Hashable, Codable, Sendable {
    /// The pairs of processes of two commits.
    package struct Comparison: Hashable, Codable, Sendable {
        package let pair: RevisionPair
        package fileprivate(set) var logRatios: [Double]
    }

    package private(set) var comparisons: [Comparison] = []
    /// The commits that cannot be built or measured.
    package internal(set) var unbuildable: Set<Int> = []

    package init() {}

    /// The pairs of processes of two commits; none if they were not compared.
    package func logRatios(_ pair: RevisionPair) -> [Double] {
        comparisons.first { $0.pair == pair }?.logRatios ?? []
    }

    package mutating func add(_ logRatios: [Double], _ pair: RevisionPair) {
        if let index = comparisons.firstIndex(where: { $0.pair == pair }) {
            comparisons[index].logRatios += logRatios
        } else if !logRatios.isEmpty {
            comparisons.append(Comparison(pair: pair, logRatios: logRatios))
        }
    }
}

/// What a bisection says.
package enum BisectionResult: Hashable, Sendable {
    /// One commit is the step.
    case found(BisectedStep)
    /// The step is one of several commits, of which all but the last cannot be built.
    case among(BisectedStep)
    /// The bad commit is no worse than the good one: their relative change.
    case refused(change: Double?, interval: ClosedRange<Double>?)
    /// There is no decision, for this reason. The likeliest commits, the likeliest first.
    case undecided(reason: String, likely: [LikelyCommit])
}

/// Where a step is, and how high.
package struct BisectedStep: Hashable, Sendable {
    /// One commit unless its neighbours cannot be built.
    package let commits: ClosedRange<Int>
    package let probability: Double
    /// The relative change from the commit before to the last of the commits, with its interval of 95 %.
    package let change: Double
    package let interval: ClosedRange<Double>
}

/// A commit with the probability that it is the step.
package struct LikelyCommit: Hashable, Sendable {
    package let commit: Int
    package let probability: Double
}
