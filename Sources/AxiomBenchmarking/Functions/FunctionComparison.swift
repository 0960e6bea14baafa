// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Finds the functions whose processor time differs between two builds.
///
/// The time of a stack is that of its innermost function that both builds have, so that a function is named and not its callers,
/// and neither inlining nor outlining names one. A round is two new processes, and each test is over rounds: samples of one
/// process are no repetitions. The times of a round are its shares in the whole benchmark's median time, whose error is added,
/// because what else the machine does makes all functions of a round slower.
struct FunctionComparison {
    /// A function with less of the whole change is not named; if that is less than this part of the time, of it.
    private static let (leastShare, leastChange) = (0.1, 0.02)
    /// Changes cancel if their sum is below this part of what moved, and within this many of its standard errors.
    private static let (leastMoved, mostErrors) = (0.3, 4.0)
    /// A change is clear if its sum with that of each caller and callee is so many standard errors from 0.
    private static let clearErrors = 2.6
    /// The gate has found the change: this is the probability that the samples show one that there is not.
    private static let shownBy = 0.05
    private static let fewestRounds = 4

    typealias Round = (old: StackCosts, new: StackCosts)

    private let rounds: [Round]
    private let alpha: Double
    private var sums: Round = (StackCosts(), StackCosts())
    private let matching: FunctionMatching

    /// - Parameter alpha: The probability that a function is named whose time did not change.
    init(_ rounds: [Round], alpha: Double) {
        (self.rounds, self.alpha) = (rounds, alpha)
        for round in rounds {
            sums.old.add(round.old)
            sums.new.add(round.new)
        }
        matching = FunctionMatching(old: sums.old, new: sums.new)
    }

    /// - Parameter needsChange: Whether nothing is named if the samples do not show that the whole benchmark became slower.
    func changed(needsChange: Bool = true) throws(ProfileError) -> ChangedFunctions {
        guard rounds.count >= Self.fewestRounds, rounds.allSatisfy({ $0.old.time > 0 && $0.new.time > 0 }) else {
            return ChangedFunctions(reason: "it was seldom sampled: it may wait, and not use the processor")
        }
        let ratios = rounds.map { log($0.new.perIteration / $0.old.perIteration) }
        let whole = try MeanTest(ratios)
        let time = try Statistics.median(rounds.map(\.old.perIteration))
        var result = ChangedFunctions()
        result.change = try time * expm1(Statistics.median(ratios))
        (result.rounds, result.samples) = (rounds.count, min(sums.old.samples, sums.new.samples))
        result.tree = DifferenceTree(old: sums.old, new: sums.new, renamed: matching.renamed)
        guard !needsChange || whole.mean > 0 && whole.pValue <= 2 * Self.shownBy else {
            result.reason = "\(result.samples) samples in \(rounds.count) rounds do not show the change"
            return result
        }
        let least = Self.leastShare * max(abs(result.change), Self.leastChange * time)
        try name(tests(time, time + result.change, whole.error, atLeast: least), atLeast: least, in: &result)
        return result
    }

    private func name(
        _ tests: [String: MeanTest],
        atLeast least: Double,
        in result: inout ChangedFunctions
    ) throws(ProfileError) {
        let calls = calls
        result.moved = try moves(tests.filter { $0.value.pValue <= 0.05 }, calls)
        let folded = Set(result.moved.joined())
        let quantile = try StudentDistribution(degrees: Double(rounds.count - 1)).quantile(1 - alpha / 2)
        for (name, test) in tests where test.adjusted <= alpha && abs(test.mean) >= least && !folded.contains(name) {
            let neighbours = tests.filter { calls.contains([name, $0.key]) && $0.key != name }.values
            guard neighbours.allSatisfy({ test.isClear(beside: $0, by: Self.clearErrors) }) else { continue }
            result.named.append(
                ChangedFunctions.Function(
                    name: name,
                    change: test.mean,
                    share: test.mean / result.change,
                    low: test.mean - quantile * test.error,
                    high: test.mean + quantile * test.error,
                    confidence: 1 - test.adjusted
                )
            )
        }
        result.named.sort { ($1.change, $0.name) < ($0.change, $1.name) }
        if result.named.isEmpty { result.reason = "no function has a clear part of the change" }
    }

    /// The functions that take long enough to have a part of the change, with their differences in each round.
    private func tests(
        _ old: Double,
        _ new: Double,
        _ error: Double,
        atLeast least: Double
    ) throws(ProfileError) -> [String: MeanTest] {
        let before = rounds.map { times($0.old, old, isNew: false) }
        let after = rounds.map { times($0.new, new, isNew: true) }
        var tests: [String: MeanTest] = [:]
        for name in Set((before + after).flatMap(\.keys)) {
            let (from, to) = (before.map { $0[name] ?? 0 }, after.map { $0[name] ?? 0 })
            let time = max(Statistics.average(from), Statistics.average(to))
            if time >= least { tests[name] = try MeanTest(zip(to, from).map { $0 - $1 }, time: time, error) }
        }
        let adjusted = try MultipleComparisons.holm(tests.values.map(\.pValue))
        for (name, adjusted) in zip(tests.keys, adjusted) { tests[name]?.adjusted = adjusted }
        return tests
    }

    private func times(_ costs: StackCosts, _ whole: Double, isNew: Bool) -> [String: Double] {
        let scale = whole / costs.time
        var times: [String: Double] = [:]
        for (stack, time) in costs.stacks {
            if let owner = matching.shared(stack, isNew: isNew).last { times[owner, default: 0] += time * scale }
        }
        return times
    }

    /// The pairs of functions of which one calls the other.
    private var calls: Set<Set<String>> {
        var calls: Set<Set<String>> = []
        for (costs, isNew) in [(sums.old, false), (sums.new, true)] {
            for stack in costs.stacks.keys {
                let shared = matching.shared(stack, isNew: isNew)
                for (caller, callee) in zip(shared, shared.dropFirst()) { calls.insert([caller, callee]) }
            }
        }
        return calls
    }

    /// Sets of two or three functions whose changes cancel, callers and callees first, and then those that moved the most.
    private func moves(_ tests: [String: MeanTest], _ calls: Set<Set<String>>) throws(ProfileError) -> [[String]] {
        let names = tests.sorted { abs($0.value.mean) > abs($1.value.mean) }.prefix(20).map(\.key)
        let pairs = names.indices.flatMap { first in names[(first + 1)...].map { [names[first], $0] } }
        let threes = pairs.flatMap { pair in names.drop { $0 != pair[1] }.dropFirst().map { pair + [$0] } }
        var moves: [[String]] = []
        let sets = pairs.filter { calls.contains(Set($0)) } + pairs.filter { !calls.contains(Set($0)) } + threes
        for names in sets where !names.contains(where: Set(moves.joined()).contains) {
            let group = names.compactMap { tests[$0] }
            let moved = group.reduce(0) { $0 + abs($1.mean) } / 2
            let sum = try MeanTest(summing: group)
            let cancels = abs(sum.mean) <= min(Self.leastMoved * moved, Self.mostErrors * sum.error)
            if cancels, group.contains(where: { $0.adjusted <= alpha }) { moves.append(names) }
        }
        return moves
    }
}

/// The mean of differences, with its standard error.
private struct MeanTest {
    let differences: [Double]
    /// What the differences are proportional to, and its relative error.
    let time: Double
    let relative: Double
    let mean: Double
    let error: Double
    var adjusted = 1.0

    init(_ differences: [Double], time: Double = 0, _ relative: Double = 0) throws(ProfileError) {
        (self.differences, self.time, self.relative) = (differences, time, relative)
        mean = Statistics.average(differences)
        let own = try Statistics.standardDeviation(differences) / Double(differences.count).squareRoot()
        error = (own * own + time * time * relative * relative).squareRoot()
    }

    init(summing tests: [MeanTest]) throws(ProfileError) {
        let sums = tests[0].differences.indices.map { round in tests.reduce(0) { $0 + $1.differences[round] } }
        try self.init(sums, time: tests.reduce(0) { $0 + $1.time }, tests[0].relative)
    }

    /// Whether another change, of which less is known, cannot cancel this one.
    func isClear(beside other: MeanTest, by errors: Double) -> Bool {
        guard let sum = try? MeanTest(summing: [self, other]) else { return false }
        return sum.mean * mean > 0 && abs(sum.mean) > errors * sum.error
    }

    /// That of Student's test of whether the mean is 0. There are at least two differences.
    var pValue: Double {
        guard error > 0, let student = try? StudentDistribution(degrees: Double(differences.count - 1)) else {
            return mean == 0 ? 1 : 0
        }
        return min(1, 2 * student.upper(abs(mean) / error))
    }
}
