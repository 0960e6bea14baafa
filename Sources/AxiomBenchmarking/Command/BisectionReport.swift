// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// What a bisection says and has cost, as JSON: `axiom-bench/bisect`.
struct BisectionReport: Encodable {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    /// A line of commits that was searched.
    struct Search: Encodable {
        struct Commit: Encodable {
            let hash: String
            let subject: String
            /// That it is the step; nil if the search ended before.
            let probability: Double?
            /// Whether it cannot be built or measured.
            let isLeftOut: Bool
        }

        /// `found`, `among`, `refused` or `inconclusive`.
        let verdict: String
        private(set) var reason: String?
        /// The hash of the commit that was found, or of those that it is among.
        private(set) var step: [String] = []
        private(set) var probability: Double?
        /// For the worse: 0.02 is 2 %. The interval holds with 95 %, that of a refusal with 90 %.
        private(set) var change: Double?
        private(set) var low: Double?
        private(set) var high: Double?
        let good: String
        /// Those after the good one, the oldest first.
        let commits: [Commit]
        let cost: BisectionCost
        var functions: ChangedFunctions?
    }

    let schema = "axiom-bench/bisect"
    let schemaVersion = 1
    let benchmark: String
    let metric: String
    /// That of GOOD to BAD, and then the branch of the merge that each one before has found.
    var searches: [Search] = []
    var exitCode: Int32 = 0
}

extension BisectionReport.Search {
    init(_ result: BisectionResult, _ bisection: CommitBisection<RevisionHistory>) {
        let (programs, probabilities) = (bisection.history.programs, bisection.commits)
        let all = programs.commits
        good = all.hashes[0]
        commits = all.hashes.indices.dropFirst().map { index in
            Commit(
                hash: all.hashes[index],
                subject: all.show(index, "%s"),
                probability: probabilities.isEmpty ? nil : probabilities[index - 1].probability,
                isLeftOut: bisection.state.unbuildable.contains(index)
            )
        }
        cost = programs.cost
        switch result {
        case .found(let found), .among(let found):
            verdict = found.commits.count == 1 ? "found" : "among"
            step = Array(all.hashes[found.commits])
            (probability, change) = (found.probability, found.change)
            (low, high) = (found.interval.lowerBound, found.interval.upperBound)
        case .refused(let change, let interval):
            verdict = "refused"
            (self.change, low, high) = (change, interval?.lowerBound, interval?.upperBound)
        case .undecided(let reason, _): (verdict, self.reason) = ("inconclusive", reason)
        }
    }
}
