// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The bisection of commits")
struct BisectionTests {
    @Test("The planted step of 5 % is named, also beside a smaller one and among commits that cannot be built")
    func planted() throws {
        var (right, builds, bound) = (0, 0.0, 0.0)
        for seed in 0..<30 as Range<UInt64> {
            var history = PlantedHistory(seed: seed)
            history.addStep(0.05)
            if seed % 5 == 0 { history.addStep(0.02) }
            history.breakCommits()
            let result = try outcome(&history)
            switch result {
            case .found(let step):
                #expect(step.commits.lowerBound == history.step, "seed \(seed)")
                #expect(step.probability >= 0.995 && step.interval.contains(step.change))
                right += 1
            case .among(let step):
                #expect(step.commits.contains(history.step), "seed \(seed)")
                #expect(step.commits.dropLast().allSatisfy(history.broken.contains))
                right += 1
            default: print("seed \(seed): \(result)")
            }
            builds += Double(history.built.subtracting(history.broken).count)
            bound += log2(Double(history.last)) + 2
        }
        #expect(right >= 28)
        #expect(builds / bound < 1.1, "\(builds) builds, where a search by halves needs \(bound)")
    }

    /// Runs a bisection and returns the result with the history that it leaves.
    private func outcome(
        _ history: inout PlantedHistory,
        _ state: BisectionState = BisectionState()
    ) throws -> BisectionResult {
        var bisection = CommitBisection(history, state: state)
        let result = try bisection.run()
        history = bisection.history
        return result
    }

    @Test("Histories without a step, or with an improvement, are refused")
    func refused() throws {
        for seed in 100..<120 as Range<UInt64> {
            var history = PlantedHistory(seed: seed)
            history.breakCommits()
            if seed % 4 == 0 { history.addStep(-0.05) }
            guard case .refused(let change, _) = try outcome(&history) else {
                Issue.record("seed \(seed) was not refused")
                continue
            }
            #expect(seed % 4 != 0 || (change ?? 0) < -0.02)
            #expect(history.built == [0, history.last], "only the ends are built")
        }
    }

    @Test("Of two commits with a step the one with the larger step is named")
    func twoSteps() throws {
        for (first, second) in [(0.06, 0.03), (0.03, 0.06)] {
            for seed in 200..<204 as Range<UInt64> {
                var history = PlantedHistory(seed: seed, noise: 0.01)
                history.levels = history.levels.indices.map { ($0 >= 9 ? first : 0) + ($0 >= 20 ? second : 0) }
                guard case .found(let step) = try outcome(&history) else {
                    Issue.record("seed \(seed): nothing was found")
                    continue
                }
                #expect(step.commits.lowerBound == (first > second ? 9 : 20), "seed \(seed)")
            }
        }
    }

    @Test("If the commits before the step cannot be built, the answer is all of them")
    func unbuildable() throws {
        var history = PlantedHistory(seed: 3, noise: 0.01)
        history.levels = history.levels.indices.map { $0 >= 13 ? 0.05 : 0 }
        history.broken = [11, 12, 13]
        guard case .among(let step) = try outcome(&history) else {
            Issue.record("a single commit was named")
            return
        }
        #expect(step.commits == 11...14)
        history.broken = [0]
        #expect(throws: BenchmarkError.self) { try outcome(&history) }
    }

    @Test("An interrupted bisection leads to the result and the comparisons of one without interruption")
    func resumed() throws {
        for seed in 300..<304 as Range<UInt64> {
            var whole = PlantedHistory(seed: seed)
            whole.addStep(0.05)
            whole.breakCommits()
            let plan = whole
            let result = try outcome(&whole)
            var (state, restarts) = (BisectionState(), 0)
            while true {
                var part = plan
                (part.isKeptBefore, part.comparisons) = (state, 2)
                let partial = try outcome(&part, state)
                state = try JSONDecoder().decode(BisectionState.self, from: JSONEncoder().encode(part.state))
                guard case .undecided = partial, restarts < 50 else {
                    #expect(partial == result, "seed \(seed)")
                    break
                }
                restarts += 1
            }
            #expect(restarts > 1)
            #expect(state == whole.state, "seed \(seed)")
        }
    }

    @Test("If the time is over, the likeliest commits are listed with their probabilities")
    func over() throws {
        var history = PlantedHistory(seed: 5)
        history.addStep(0.05)
        history.comparisons = 4
        guard case .undecided(let reason, let likely) = try outcome(&history) else {
            Issue.record("there was a decision after 4 comparisons")
            return
        }
        #expect(reason.contains("time is over"))
        #expect(likely.count == 5 && zip(likely, likely.dropFirst()).allSatisfy { $0.probability >= $1.probability })
        history = PlantedHistory(seed: 5)
        history.comparisons = 0
        guard case .undecided(_, []) = try outcome(&history) else {
            Issue.record("there was a decision without a comparison")
            return
        }
    }

    @Test("Counts need no repetitions: the larger of three steps is named, and a smaller change than 1 % is found")
    func counts() throws {
        for steps in [[7: 0.3, 20: 0.1, 29: -0.05], [17: 0.004], [1: 0.01]] as [[Int: Double]] {
            var history = PlantedHistory(seed: 1, noise: 0)
            history.levels = history.levels.indices.map { index in
                steps.reduce(0) { $0 + ($1.key <= index ? $1.value : 0) }
            }
            var bisection = CommitBisection(history, minimumEffect: 1e-6, isCounted: true)
            guard case .found(let step) = try bisection.run() else {
                Issue.record("no step was found of \(steps)")
                continue
            }
            let highest = steps.max { $0.value < $1.value }
            #expect(step.commits.lowerBound == highest?.key)
            #expect(abs(log1p(step.change) - (highest?.value ?? 0)) < 1e-9)
            #expect(bisection.history.built.count <= 9)
        }
    }
}

@Suite("The probability of a step")
struct StepPosteriorTests {
    private let model = StepModel(height: 0.06)

    private func shifts(_ generator: inout SeededGenerator) -> [ObservedShift] {
        let pairs = [(0, 40), (0, 20), (20, 40), (0, 10), (10, 20), (15, 40), (10, 15), (0, 15)]
        return pairs.map { pair in
            ObservedShift(
                pair: RevisionPair(pair.0, pair.1),
                centre: (pair.0 < 14 && pair.1 >= 14 ? 0.05 : 0) + 0.01 * generator.normal(),
                variance: 1e-5
            )
        }
    }

    @Test("The probabilities are those of a numeric integration over the heights")
    func integrated() throws {
        let shifts = [
            ObservedShift(pair: RevisionPair(0, 3), centre: 0.05, variance: 2e-5),
            ObservedShift(pair: RevisionPair(0, 2), centre: 0.028, variance: 4e-5),
        ]
        let posterior = try #require(StepPosterior(shifts, last: 3, model))
        let (build, drift) = (model.build * model.build, model.drift * model.drift)
        let (first, second, both) = (2 * build + 3 * drift + 2e-5, 2 * build + 2 * drift + 4e-5, build + 2 * drift)
        let determinant = first * second - both * both
        /// The density of the differences if they are `one` and `two` without noise, up to a factor.
        func density(_ one: Double, _ two: Double) -> Double {
            let (left, right) = (0.05 - one, 0.028 - two)
            let square = left * left * second - 2 * left * right * both + right * right * first
            return exp(-square / determinant / 2)
        }
        let grid = stride(from: -0.3, through: 0.3, by: 0.003).map { height in
            (height: height, weight: 0.003 * exp(-height * height / 0.0072) / (0.06 * (2 * Double.pi).squareRoot()))
        }
        // By commit, from 1 on. Only a step at 1 or 2 is in the second difference.
        var expected = [0.0, 0, 0]
        for commit in 0..<3 {
            for step in grid {
                let inBoth = commit < 2 ? step.height : 0
                expected[commit] += 0.9 / 3 * step.weight * density(step.height, inBoth)
                for other in commit + 1..<3 {
                    for more in grid {
                        let inSecond = inBoth + (other < 2 ? more.height : 0)
                        let weight = step.weight * more.weight * density(step.height + more.height, inSecond)
                        // Equal heights count half for each.
                        let share = step.height == more.height ? 0.5 : step.height > more.height ? 1 : 0
                        expected[commit] += 0.1 / 3 * weight * share
                        expected[other] += 0.1 / 3 * weight * (1 - share)
                    }
                }
            }
        }
        let sum = expected.reduce(0, +)
        for (commit, value) in zip(posterior.commits, expected) {
            #expect(abs(commit.probability - value / sum) < 2e-3, "commit \(commit.commit)")
        }
        // A case in which one answer were certain would show little.
        #expect(posterior.commits.allSatisfy { $0.probability > 0.05 })
    }

    @Test("The probabilities sum to 1 and do not depend on the order of comparisons")
    func order() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<10 {
            let shifts = shifts(&generator)
            let posterior = try #require(StepPosterior(shifts, last: 40, model))
            let other = try #require(StepPosterior(shifts.shuffled(using: &generator), last: 40, model))
            #expect(abs(posterior.commits.reduce(0) { $0 + $1.probability } - 1) < 1e-12)
            #expect(posterior.commits.map(\.commit) == Array(1...40))
            for (one, two) in zip(posterior.probabilities, other.probabilities) { #expect(abs(one - two) < 1e-9) }
            #expect(posterior.segments[posterior.best] == 11...15)
        }
        let nothing = ObservedShift(pair: RevisionPair(0, 40), centre: .nan, variance: 1)
        #expect(StepPosterior([nothing], last: 40, model) == nil)
    }

    @Test("A comparison that splits the likely commits in halves informs most, and one of known ends nothing")
    func information() throws {
        let shift = ObservedShift(pair: RevisionPair(0, 40), centre: 0.05, variance: 1e-6)
        let posterior = try #require(StepPosterior([shift], last: 40, model))
        func information(_ commit: Int) -> Double { posterior.information(RevisionPair(0, commit), variance: 1e-5) }
        #expect(information(20) > information(5) && information(20) > information(36))
        #expect(information(20) < 1 && information(40) == 0)
        #expect(information(20) > posterior.information(RevisionPair(0, 20), variance: 1e-2))
    }

    @Test("The summary of pairs has the deviation of a normal and of a heavy-tailed sample")
    func summary() throws {
        var generator = SeededGenerator(seed: 7)
        var state = BisectionState()
        for newer in 1...60 { state.add((0..<20).map { _ in 0.03 * generator.normal() }, RevisionPair(0, newer)) }
        // Fewer than five pairs are not used.
        state.add([1, 2, 3], RevisionPair(1, 2))
        let summary = try ObservedShift.all(state.comparisons)
        #expect(summary.shifts.count == 60)
        // The estimate needs 1.047 times as many normal values as the mean.
        #expect(abs((summary.variance / (0.0009 * 1.047)).squareRoot() - 1) < 0.1)
        let centres = summary.shifts.map(\.centre)
        let deviation = try Statistics.standardDeviation(centres)
        #expect(abs(deviation / (summary.variance / 20).squareRoot() - 1) < 0.25)
    }

    @Test("The factor of a matrix whitens, and a matrix that is not positive definite has none")
    func factor() throws {
        let rows = [[4.0, 2, 0.4], [2, 5, 1], [0.4, 1, 3]]
        let matrix = try #require(CovarianceMatrix(3) { rows[$0][$1] })
        // x · A⁻¹ · (A · y) = x · y
        let (one, two) = ([1.0, -2, 0.5], [0.3, 0.7, -1])
        let product = rows.map { CovarianceMatrix.product($0, two) }
        let value = CovarianceMatrix.product(matrix.whitened(one), matrix.whitened(product))
        #expect(abs(value - CovarianceMatrix.product(one, two)) < 1e-12)
        #expect(CovarianceMatrix(2) { $0 == $1 ? 1 : 2 } == nil)
    }
}

/// A history with planted steps. The noise of a pair depends on its number and the seed only.
private struct PlantedHistory: BisectedHistory {
    /// The logarithm of the time of each commit.
    var levels: [Double]
    var broken: Set<Int> = []
    /// The commit with the largest step.
    private(set) var step = 0
    private(set) var built: Set<Int> = []
    private(set) var state = BisectionState()
    /// What was measured before the interruption.
    var isKeptBefore = BisectionState() {
        didSet {
            state = isKeptBefore
            built = Set(state.comparisons.flatMap { [$0.pair.older, $0.pair.newer] })
        }
    }
    /// How many comparisons there is time for.
    var comparisons = Int.max
    private let seed: UInt64
    private let noise: Double
    private var generator: SeededGenerator
    private var largest = 0.0

    init(seed: UInt64, noise: Double? = nil) {
        var generator = SeededGenerator(seed: seed)
        let last = 32 + generator.index(below: 97)
        let (build, spread) = (0.001 + 0.004 * generator.unit, 0.01 + 0.02 * generator.unit)
        levels = []
        for _ in 0...last { levels.append(noise == nil ? build * generator.normal() : 0) }
        (self.seed, self.noise, self.generator) = (seed, noise ?? spread, generator)
    }

    mutating func addStep(_ height: Double) {
        let commit = 1 + generator.index(below: last)
        for index in commit...last { levels[index] += height }
        if abs(height) > largest { (largest, step) = (abs(height), commit) }
    }

    /// A tenth of the commits cannot be built.
    mutating func breakCommits() {
        for commit in 1..<last where generator.index(below: 10) == 0 { broken.insert(commit) }
    }

    var last: Int { levels.count - 1 }
    var isOver: Bool { comparisons == 0 }
    var buildSeconds: Double { 60 }
    var pairSeconds: Double { 1 }
    func isBuilt(_ commit: Int) -> Bool { built.contains(commit) }

    mutating func build(_ commit: Int) throws -> Bool {
        built.insert(commit)
        return !broken.contains(commit)
    }

    mutating func compare(_ pair: RevisionPair, pairs: Int) throws -> [Double] {
        guard !isOver else { return [] }
        comparisons -= 1
        let before = state.logRatios(pair).count
        return (before..<before + pairs).map { index in
            let stream = UInt64(pair.older * 1_000 + pair.newer) * 10_000 + UInt64(index)
            var generator = SeededGenerator(seed: seed, stream: stream)
            // Student's distribution with three degrees of freedom.
            let square = (0..<3).reduce(0.0) { sum, _ in sum + pow(generator.normal(), 2) }
            let tail = generator.normal() / (square / 3).squareRoot()
            return levels[pair.newer] - levels[pair.older] + noise * tail / 3.0.squareRoot()
        }
    }

    mutating func keep(_ state: BisectionState) throws { self.state = state }
}

extension SeededGenerator {
    /// A uniform number from 0 to 1.
    fileprivate var unit: Double {
        mutating get { Double(next() >> 11) * 0x1p-53 }
    }
}
