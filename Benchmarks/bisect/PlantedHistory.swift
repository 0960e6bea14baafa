// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomBenchmarking
internal import Foundation

/// What the planted histories have in common.
struct HistoryShape {
    /// The numbers of commits after the good one.
    var commits = 32...128
    /// The relative step of the slow commit; nil for histories without one.
    var step: Double? = 0.05
    /// The share of histories with a second, smaller step, and its least and greatest height as parts of the first one.
    var secondShare = 0.2
    var secondHeight = (least: 0.2, most: 0.6)
    /// The probability that a commit cannot be built. The first and the last one can.
    var brokenShare = 0.1
    /// The standard deviation of the change of each commit without a step.
    var drift = 0.001
}

/// A history whose times are planted, and whose noise and costs are replayed.
struct PlantedHistory {
    let last: Int
    /// The slow commit; nil if there is none.
    let step: Int?
    /// Another commit that is slower, too, by less.
    let secondStep: Int?
    /// The logarithm of the time of each commit.
    let levels: [Double]
    /// The commits that cannot be built.
    let broken: Set<Int>
    /// The benchmark whose noise is replayed.
    let benchmark: Int
    /// What each commit takes to be built.
    let buildTimes: [Double]

    init(seed: UInt64, _ shape: HistoryShape, _ replay: NoiseReplay) {
        var random = SeededGenerator(seed: seed, stream: 1)
        let last = shape.commits.lowerBound + random.index(below: shape.commits.count)
        let step = shape.step.map { _ in 1 + random.index(below: last) }
        let hasSecond = step != nil && random.unit() < shape.secondShare
        let other = 1 + random.index(below: last - 1)
        let second = hasSecond ? (other == step ? last : other) : nil
        let least = shape.secondHeight.least
        let part = least + (shape.secondHeight.most - least) * random.unit()
        var (levels, level) = ([0.0], 0.0)
        for commit in 1...last {
            if shape.step != nil { level += shape.drift * random.normal() }
            if commit == step { level += log1p(shape.step ?? 0) }
            if commit == second { level += part * log1p(shape.step ?? 0) }
            levels.append(level)
        }
        self.levels = levels.map { $0 + replay.buildEffect(&random) }
        broken = Set((1..<last).filter { _ in random.unit() < shape.brokenShare })
        benchmark = random.index(below: replay.count)
        buildTimes = levels.map { _ in replay.buildSeconds(&random) }
        (self.last, self.step, secondStep) = (last, step, second)
    }

    /// The commits that cannot be told from the step, because those between cannot be built.
    var answer: ClosedRange<Int>? {
        step.map { step in
            let newest = (step...last).first { !broken.contains($0) } ?? last
            let oldest = (0..<step).last { !broken.contains($0) } ?? 0
            return oldest + 1...newest
        }
    }
}

/// Builds and compares the commits of a planted history, and counts what that costs.
struct SimulatedMachine {
    let history: PlantedHistory
    private let replay: NoiseReplay
    private var random: SeededGenerator
    private(set) var cost = BisectCost()
    private(set) var built: Set<Int> = []
    /// What each attempt to build a commit took.
    private var tried: [Int: Double] = [:]

    /// - Parameter stream: Machines with different numbers have independent noise.
    init(_ history: PlantedHistory, _ replay: NoiseReplay, seed: UInt64, stream: UInt64) {
        (self.history, self.replay) = (history, replay)
        random = SeededGenerator(seed: seed, stream: stream)
    }

    /// Builds a commit, once.
    mutating func make(_ commit: Int) -> Bool {
        if tried[commit] == nil {
            tried[commit] = history.buildTimes[commit]
            cost.builds += 1
            cost.seconds += history.buildTimes[commit]
            if !history.broken.contains(commit) { built.insert(commit) }
        }
        return built.contains(commit)
    }

    mutating func measure(_ older: Int, _ newer: Int, pairs: Int) -> [Double] {
        cost.pairs += pairs
        cost.seconds += Double(pairs) * replay.pairSeconds
        let shift = history.levels[newer] - history.levels[older]
        return replay.deviations(of: history.benchmark, count: pairs, &random).map { shift + $0 }
    }

}

extension SimulatedMachine: BisectedHistory {
    var last: Int { history.last }
    var isOver: Bool { false }
    var pairSeconds: Double { replay.pairSeconds }

    /// The mean of the builds so far; before the first one, what the fastest takes.
    var buildSeconds: Double {
        tried.isEmpty ? replay.noise.buildSeconds.min() ?? 1 : tried.values.reduce(0, +) / Double(tried.count)
    }

    func isBuilt(_ commit: Int) -> Bool { built.contains(commit) }

    mutating func build(_ commit: Int) throws -> Bool { make(commit) }

    mutating func compare(_ pair: RevisionPair, pairs: Int) throws -> [Double] {
        measure(pair.older, pair.newer, pairs: pairs)
    }

    mutating func keep(_ state: BisectionState) throws {}
}
