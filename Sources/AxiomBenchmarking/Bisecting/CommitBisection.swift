// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Finds the commit that made a benchmark slower, with a stated probability of a wrong one.
///
/// First it compares the good and the bad commit as the gate does, and refuses if nothing got worse. Then it compares pairs of
/// commits until the probability of one of them is sufficient and it was compared with the commit before.
/// It stops without a decision if the time is over or more pairs give no more information.
package struct CommitBisection<History: BisectedHistory> {
    package private(set) var history: History
    package private(set) var state: BisectionState
    /// The commits with the probability of each; empty before the ends were judged.
    private(set) var commits: [LikelyCommit] = []
    private let alpha: Double
    private let minimumEffect: Double
    private let isCounted: Bool

    /// - Parameters:
    ///   - state: What an interrupted bisection of the same history has kept.
    ///   - alpha: The probability of not refusing if nothing got worse.
    ///   - minimumEffect: The least relative change that counts.
    ///   - isCounted: Whether numbers are counted, so that builds of equal code have equal ones.
    package init(
        _ history: History,
        state: BisectionState = BisectionState(),
        alpha: Double = 0.01,
        minimumEffect: Double = 0.02,
        isCounted: Bool = false
    ) {
        (self.history, self.state, self.isCounted) = (history, state, isCounted)
        (self.alpha, self.minimumEffect) = (alpha, minimumEffect)
    }

    /// Builds and compares until there is a result.
    ///
    /// - Throws: What the history throws, and ``BenchmarkError`` if the good or the bad commit cannot be built.
    package mutating func run() throws -> BisectionResult {
        for (end, name) in [(0, "good"), (history.last, "bad")] where try !isBuilt(end) {
            throw BenchmarkError(.buildFailed, "the \(name) commit cannot be built or measured: name another one")
        }
        let finding = try judgeEnds()
        switch finding.kind {
        case .regressed: break
        case .ok, .improved: return .refused(change: finding.change, interval: finding.interval)
        default:
            return .undecided(reason: "whether anything got worse is unknown: \(finding.detail)", likely: [])
        }
        var model = StepModel(height: 1.5 * log1p(max(minimumEffect, finding.change ?? 0)))
        if isCounted { (model.build, model.drift) = (1e-4, 1e-4) }
        return try narrow(model)
    }

    /// Compares the ends as the gate compares two builds, with looks after 25, 40, 70, 130 and 250 pairs.
    private mutating func judgeEnds() throws -> ComparisonFinding {
        var design = TwoStageDesign()
        (design.alpha, design.looks, design.needsBothStages) = (alpha, 5, false)
        let row = ComparedRow(benchmark: 0, id: "", metric: .wall, minimumEffect: minimumEffect)
        let ends = RevisionPair(0, history.last)
        var judged = 0
        let findings = try design.judge([row]) { _, pairs in
            let missing = judged + pairs - state.logRatios(ends).count
            if missing > 0 { try compare(ends, missing) }
            let values = state.logRatios(ends).dropFirst(judged).prefix(pairs)
            judged += values.count
            return [0: values.map { [.wall: PairedValue(logRatio: $0, baseline: 1, current: exp($0))] }]
        }
        return findings[0]
    }

    private mutating func narrow(_ model: StepModel) throws -> BisectionResult {
        while true {
            let (shifts, variance) = try ObservedShift.all(state.comparisons)
            guard let posterior = StepPosterior(shifts, last: history.last, model) else {
                return .undecided(reason: "the measured times are no numbers", likely: [])
            }
            commits = posterior.commits
            let choice = PairChoice(posterior: posterior, state: state, variance: variance)
            if let result = decided(choice) { return result }
            guard !history.isOver else { return undecided("the time is over") }
            guard let pair = choice.next(history) else { return undecided("more pairs do not help") }
            guard try isBuilt(pair.older), try isBuilt(pair.newer) else { continue }
            guard try compare(pair, PairChoice.batch) > 0 else { return undecided("the time is over") }
        }
    }

    /// The result if the likeliest segment is sufficiently likely, cannot be split, and its ends were compared.
    private func decided(_ choice: PairChoice) -> BisectionResult? {
        let (posterior, best) = (choice.posterior, choice.posterior.best)
        guard choice.isSufficient, let direct = posterior.shifts.first(where: { $0.pair == choice.ends(of: best) })
        else { return nil }
        let reach = 1.96 * (direct.variance + posterior.model.covariance(direct.pair, direct.pair)).squareRoot()
        let step = BisectedStep(
            commits: posterior.segments[best],
            probability: posterior.probabilities[best],
            change: expm1(direct.centre),
            interval: expm1(direct.centre - reach)...expm1(direct.centre + reach)
        )
        return step.commits.count == 1 ? .found(step) : .among(step)
    }

    private func undecided(_ reason: String) -> BisectionResult {
        let likely = commits.sorted { ($1.probability, $0.commit) < ($0.probability, $1.commit) }
        return .undecided(reason: reason, likely: Array(likely.prefix(5)))
    }

    private mutating func isBuilt(_ commit: Int) throws -> Bool {
        guard !state.unbuildable.contains(commit) else { return false }
        guard try !history.build(commit) else { return true }
        state.unbuildable.insert(commit)
        try history.keep(state)
        return false
    }

    /// Measures pairs and keeps them, and returns how many there were.
    @discardableResult
    private mutating func compare(_ pair: RevisionPair, _ count: Int) throws -> Int {
        let logRatios = try history.compare(pair, pairs: count)
        state.add(logRatios, pair)
        try history.keep(state)
        return logRatios.count
    }
}
