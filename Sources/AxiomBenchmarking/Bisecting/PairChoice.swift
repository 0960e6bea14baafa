// SPDX-License-Identifier: Apache-2.0

/// Chooses the pair of commits to compare next: the one that gives the most information about the place of the step for
/// each second, with the seconds of the builds that are missing.
struct PairChoice {
    /// Pairs of processes in a comparison.
    static let batch = 10
    /// The probability at which a bisection stops. Its claim is 99 %.
    private static let sufficient = 0.995
    /// A comparison that is expected to give less, in bits, is not worth its time.
    private static let leastInformation = 0.01
    /// How often the commits beside a likely step are compared if nothing else gives information.
    private static let mostPairs = 120
    /// Segments with less probability are not split.
    private static let leastProbability = 0.02
    /// At which shares of a segment it may be split.
    private static let splits = [0.25, 0.375, 0.5, 0.625, 0.75]

    let posterior: StepPosterior
    let state: BisectionState
    /// The variance of the noise of one pair of processes.
    let variance: Double

    /// Whether the likeliest segment is sufficiently likely and cannot be split.
    var isSufficient: Bool { posterior.probabilities[posterior.best] >= Self.sufficient && isWhole(posterior.best) }

    /// The commits before and at the end of a segment.
    func ends(of segment: Int) -> RevisionPair {
        RevisionPair(posterior.segments[segment].lowerBound - 1, posterior.segments[segment].upperBound)
    }

    /// Whether no commit within a segment can be built.
    private func isWhole(_ segment: Int) -> Bool {
        posterior.segments[segment].dropLast().allSatisfy(state.unbuildable.contains)
    }

    /// The next pair; nil if more pairs do not help.
    func next(_ history: some BisectedHistory) -> RevisionPair? {
        isSufficient ? ends(of: posterior.best) : mostInformative(history) ?? confirming
    }

    private func mostInformative(_ history: some BisectedHistory) -> RevisionPair? {
        let measured = [0] + posterior.segments.map(\.upperBound)
        let known = measured.indices.flatMap { one in measured[..<one].map { RevisionPair($0, measured[one]) } }
        let new = newCommits.flatMap { commit in measured.map { RevisionPair($0, commit) } }
        var best: (pair: RevisionPair, rate: Double)?
        for pair in known + new {
            let information = posterior.information(pair, variance: variance / Double(Self.batch))
            guard information >= Self.leastInformation else { continue }
            let missing = [pair.older, pair.newer].count { !history.isBuilt($0) }
            let seconds = Double(Self.batch) * history.pairSeconds + Double(missing) * history.buildSeconds
            let rate = information / max(seconds, .leastNormalMagnitude)
            if rate > best?.rate ?? 0 { best = (pair, rate) }
        }
        return best?.pair
    }

    /// The commits that may be built next: in each likely segment the nearest to some shares of it.
    private var newCommits: [Int] {
        let likely = zip(posterior.segments, posterior.probabilities).filter { $1 >= Self.leastProbability }
        let commits = likely.flatMap { segment, _ in
            let inner = segment.dropLast().filter { !state.unbuildable.contains($0) }
            return Self.splits.compactMap { share in
                let wanted = Double(segment.lowerBound - 1) + share * Double(segment.count)
                return inner.min { abs(Double($0) - wanted) < abs(Double($1) - wanted) }
            }
        }
        return Set(commits).sorted()
    }

    /// The commits beside one of the two likeliest steps: the pair that was compared less often.
    private var confirming: RevisionPair? {
        let likeliest = posterior.segments.indices.filter(isWhole).sorted {
            posterior.probabilities[$0] > posterior.probabilities[$1]
        }
        let pairs = likeliest.prefix(2).map { (ends: ends(of: $0), count: state.logRatios(ends(of: $0)).count) }
        return pairs.filter { $0.count < Self.mostPairs }.min { $0.count < $1.count }?.ends
    }
}
