// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomInstrumentation

/// Calls of an operation, and what a profiler samples of them: 97 times a second of processor time.
private struct SampledCalls {
    /// The functions of a stack, the outermost one first, and the milliseconds of a call in its last one.
    typealias Costs = [[String]: Double]

    static let rate = 97
    /// A call takes 20 ms of processor time.
    static let usual: Costs = [
        ["handle"]: 2, ["handle", "parse"]: 6, ["handle", "parse", "swift_retain"]: 2, ["handle", "format"]: 4,
        ["handle", "check", "hash"]: 5, ["handle", "check"]: 1,
    ]

    var generator: SeededGenerator
    /// By how much the parts of the time differ.
    var variation = 0.03

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Six parts of 20 s, each with 200 calls.
    mutating func parts(_ costs: Costs, waiting milliseconds: Double = 5) throws -> [ProfiledCalls] {
        try (0..<6).map { _ in
            let level = exp(variation * generator.normal())
            var profile = Profile(
                start: Instant(nanoseconds: 0),
                end: Instant(nanoseconds: 20_000_000_000),
                rate: Self.rate
            )
            for (names, cost) in costs.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let mean = 200 * cost * level / 1_000 * Double(Self.rate)
                // Calls differ: the number of samples varies twice as much as that of independent ones.
                let samples = max(0, Int((mean + (2 * mean).squareRoot() * generator.normal()).rounded()))
                profile.add(names, samples: samples)
            }
            let total = costs.values.reduce(0, +) * level + milliseconds
            return try #require(ProfiledCalls(200, taking: 200 * total / 1_000, "Cart.add", profile, of: 20))
        }
    }
}

extension Profile {
    fileprivate mutating func add(_ names: [String], of action: String = "Cart.add", samples: Int) {
        frames.append(Frame(.client, action))
        let numbers =
            [frames.count - 1]
            + names.map { name in
                frames.append(Frame(.function, name))
                frames[frames.count - 1].module = name.hasPrefix("swift_") ? "libswiftCore.so" : "shop"
                return frames.count - 1
            }
        var stack = Stack(frames: numbers)
        (stack.samples, stack.processor) = (samples, Int64(samples) * 1_000_000_000 / Int64(rate))
        stacks.append(stack)
    }
}

@Suite("The functions of a regression")
struct RegressionFunctionsTests {
    @Test(
        "The function that grew is named first, not its callers or the runtime, and its least share is less than the true one"
    )
    func named() throws {
        let first = TestSeed.steady()
        var (named, others, exceeded) = (0, 0, 0)
        for seed in first..<(first + 100) {
            var calls = SampledCalls(seed: seed)
            var costs = SampledCalls.usual
            // 6 of 8 ms more are in parse, of which one in the runtime; calls wait for two.
            costs[["handle", "parse"]]? += 5
            costs[["handle", "parse", "swift_retain"]]? += 1
            let before = try calls.parts(SampledCalls.usual)
            let found = RegressionFunctions(before: before, after: try calls.parts(costs, waiting: 7))
            let functions = found?.functions ?? []
            if functions.first?.name == "parse" { named += 1 }
            if functions.contains(where: { $0.name != "parse" }) { others += 1 }
            if functions.first.map({ $0.least > 0.75 }) == true { exceeded += 1 }
        }
        #expect(named >= 95, "\(named) from seed \(first)")
        // The levels are 5 %: more than 12 of 100 have a probability of 0.2 %.
        #expect(others <= 12 && exceeded <= 12, "\(others), \(exceeded) from seed \(first)")
    }

    @Test("Where calls only wait longer, no function is named, and the sentence says so")
    func waiting() throws {
        let first = TestSeed.steady()
        var (named, said) = (0, 0)
        for seed in first..<(first + 100) {
            var calls = SampledCalls(seed: seed)
            let before = try calls.parts(SampledCalls.usual)
            let found = RegressionFunctions(before: before, after: try calls.parts(SampledCalls.usual, waiting: 15))
            if found?.functions.isEmpty == false { named += 1 }
            if found?.sentence?.hasSuffix("are processor time: calls wait longer") == true { said += 1 }
        }
        #expect(named <= 12 && said >= 80, "\(named), \(said) from seed \(first)")
    }

    @Test("What does not take longer for sure, and too few parts, have no explanation")
    func nothing() throws {
        var calls = SampledCalls(seed: 3)
        let (before, after) = (try calls.parts(SampledCalls.usual), try calls.parts(SampledCalls.usual))
        #expect(RegressionFunctions(before: before, after: after) == nil)
        let slower = try calls.parts(SampledCalls.usual.mapValues { $0 * 2 })
        #expect(RegressionFunctions(before: before, after: slower) != nil)
        #expect(RegressionFunctions(before: Array(before.prefix(2)), after: slower) == nil)
        #expect(RegressionFunctions(before: slower, after: before) == nil)
    }

    @Test("A profile that covers less than half of a part says nothing; one that covers most of it is scaled")
    func covered() throws {
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 8_000_000_000), rate: 97)
        profile.add(["handle"], samples: 97)
        profile.add(["handle"], of: "Cart.remove", samples: 300)
        #expect(ProfiledCalls(10, taking: 1, "Cart.add", profile, of: 17) == nil)
        let calls = try #require(ProfiledCalls(10, taking: 1, "Cart.add", profile, of: 16))
        #expect(abs(calls.used { _ in true }.seconds - 2) < 0.01)
    }

    @Test("Of many samples 100 are kept, with 16 functions each, and their sum is that of all")
    func limit() throws {
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 20_000_000_000), rate: 97)
        for number in 0..<300 { profile.add((0..<40).map { "f\($0 < 39 ? $0 : number)" }, samples: 1 + number % 3) }
        profile.add(["hot"], samples: 600)
        let calls = try #require(ProfiledCalls(10, taking: 20, "Cart.add", profile, of: 20))
        let (all, hot) = (calls.used { _ in true }, calls.used { $0.isIn("hot", except: []) })
        #expect(all.samples == 100 && abs(all.seconds - 1_200 / 97) < 1e-6)
        #expect(hot.samples == 50 && abs(hot.seconds - 600 / 97) < 1e-6)
        #expect(calls.stacks.allSatisfy { $0.names.count <= 16 && ($0.names == ["hot"] || $0.names[14] == "f38") })
    }

    @Test("The sentence has the growth, its share and the least share, the largest first")
    func sentence() throws {
        var calls = SampledCalls(seed: 5)
        calls.variation = 0.001
        var costs = SampledCalls.usual
        costs[["handle", "parse"]]? += 20
        costs[["handle", "check", "hash"]]? += 10
        let before = try calls.parts(SampledCalls.usual)
        let found = try #require(RegressionFunctions(before: before, after: try calls.parts(costs)))
        #expect(found.functions.map(\.name) == ["parse", "hash"])
        let words = try #require(found.sentence)
        let pattern =
            #/of (.+) ms .+ call, (.+) ms \((\d+) %, at least (\d+) % with 95 % confidence\) are in parse, and .+ in hash/#
        let numbers = try #require(words.wholeMatch(of: pattern), "\(words)")
        let (total, part) = (try #require(Double(numbers.1)), try #require(Double(numbers.2)))
        #expect(abs(total - 30) < 1 && abs(part - 20) < 3, "\(words)")
        let (share, least) = (try #require(Int(numbers.3)), try #require(Int(numbers.4)))
        #expect(least > 40 && least < share && share < 80, "\(words)")
    }
}

@Suite("The calls that explain a regression")
struct CallHistoryTests {
    /// Parts with calls of 10 ms, and of 20 ms from `step` on, with variation.
    private func history(_ count: Int, step: Int, seed: UInt64 = 1, before usual: Double = 0.01) -> CallHistory {
        var (history, generator) = (CallHistory(), SeededGenerator(seed: seed))
        let operation = TimedOperation(ComponentDescriptor(kind: .client, name: "Cart"), "add")
        for index in 0..<count {
            var (durations, level) = (ExponentialHistogramData.empty, index < step ? usual : 0.02)
            level *= exp(0.1 * generator.normal())
            for _ in 0..<100 { durations.record(level) }
            history.add(ProfileWindow(start: Double(index), durations: durations))
            var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 30_000_000_000), rate: 97)
            profile.add(["handle"], samples: Int(level * 97 * (index % 5 == 0 ? 100 : 200)))
            // Without a profile, the calls belong to no part.
            if index % 5 == 0 { history.endPart(of: operation, nil, seconds: 30) }
            history.add(ProfileWindow(start: Double(index), durations: durations))
            history.endPart(of: operation, profile, seconds: 30)
            history.endPart(of: operation, profile, seconds: 30)
        }
        return history
    }

    @Test("The latest 20 parts that have calls and a profile are kept")
    func limit() {
        let parts = history(50, step: 0).parts
        #expect(parts.count == 20 && parts.map(\.calls) == (30..<50).map { $0 % 5 == 0 ? 100 : 200 })
    }

    @Test(
        "The step is found, and its function; one that is too near to an end is not, nor one without a baseline"
    )
    func step() {
        let first = TestSeed.steady()
        var named = 0
        for seed in first..<(first + 50) {
            var generator = SeededGenerator(seed: seed)
            let step = Int.random(in: 5...15, using: &generator)
            let history = history(20, step: step, seed: seed)
            #expect(history.step == step, "seed \(seed)")
            if history.changes(baseline: 0.01)?.functions.map(\.name) == ["handle"] { named += 1 }
            #expect(history.changes(baseline: .nan) == nil)
        }
        #expect(named >= 45, "\(named) from seed \(first)")
        #expect(history(5, step: 2).step == nil)
    }

    @Test("A step that is less than half of the growth since the baseline is no explanation")
    func smallStep() {
        let first = TestSeed.steady()
        var named = 0
        for seed in first..<(first + 50) {
            // From 14 to 20 ms.
            let history = history(20, step: 10, seed: seed, before: 0.014)
            if history.changes(baseline: 0.012)?.functions.isEmpty == false { named += 1 }
            #expect(history.changes(baseline: 0.003) == nil, "seed \(seed)")
        }
        #expect(named >= 40, "\(named) from seed \(first)")
    }
}
