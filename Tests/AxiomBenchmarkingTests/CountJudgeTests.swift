// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing counts")
struct CountJudgeTests {
    @Test(
        "One more is worse, one less is better, and a count that varies is not judged",
        arguments: [
            ([4, 4, 4], [4, 4, 4], Verdict.Kind.ok),
            ([4, 4, 4], [5, 5, 5], .regressed),
            ([4, 4, 4], [3, 3, 3], .improved),
            ([0, 0, 0], [1, 1, 1], .regressed),
            // Not exact any more, and worse each time.
            ([4, 4, 4], [5, 6, 5], .regressed),
            // Not exact any more: a finding by itself.
            ([4, 4, 4], [4, 5, 4], .insufficient),
            // A few of many processes count more, in either build.
            ([4, 4, 4], [4, 5, 4, 4, 4, 4, 4, 7, 4, 4, 4, 5], .ok),
            ([4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4], [4, 4, 4], .ok),
            ([4, 4, 4], [5, 5, 5, 5, 5, 5, 5, 4, 5, 5, 5, 5], .regressed),
            ([4, 4, 4], [3, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3], .improved),
            ([4, 4, 4], [4, 5, 4, 5, 4, 4, 4, 5, 4, 4, 4, 5], .insufficient),
            // Never was exact.
            ([4, 5, 4], [9, 9, 9], .information),
        ] as [([Double], [Double], Verdict.Kind)]
    )
    func exact(_ baseline: [Double], _ current: [Double], _ expected: Verdict.Kind) {
        #expect(CountJudge.judge("b", .allocations, baseline: baseline, current: current).kind == expected)
    }

    @Test("The report says how many of the processes count another number")
    func differing() {
        let current = [4.0, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4]
        let finding = CountJudge.judge("b", .allocations, baseline: [4, 4, 4], current: current)
        #expect(finding.current == 4 && finding.detail == "1 of 12 processes differ: 4…5")
        #expect(CountJudge.judge("b", .allocations, baseline: [4, 4, 4], current: [4, 4, 4]).detail == "")
    }

    @Test(
        "Instructions may differ by 0.2 %, and are judged only where runs agree",
        arguments: [
            ([10_000, 10_001, 10_002], [10_015, 10_016, 10_015], Verdict.Kind.ok),
            ([10_000, 10_001, 10_002], [10_030, 10_030, 10_030], .regressed),
            ([10_000, 10_001, 10_002], [9_900, 9_900, 9_900], .improved),
            ([10_000, 10_100, 10_002], [12_000, 12_000, 12_000], .information),
        ] as [([Double], [Double], Verdict.Kind)]
    )
    func nearExact(_ baseline: [Double], _ current: [Double], _ expected: Verdict.Kind) {
        #expect(CountJudge.judge("b", .instructions, baseline: baseline, current: current).kind == expected)
    }

    @Test("Knows that more may be better")
    func higherIsBetter() {
        let metric = Metric("hits", unit: "1", kind: .exact, isLowerBetter: false)
        #expect(CountJudge.judge("b", metric, baseline: [4, 4], current: [3, 3]).kind == .regressed)
        #expect(CountJudge.judge("b", metric, baseline: [4, 4], current: [5, 5]).kind == .improved)
    }

    @Test("Tells a metric that is gone from one that is new")
    func coverage() {
        #expect(CountJudge.judge("b", .bytes, baseline: [1], current: []).kind == .lost)
        #expect(CountJudge.judge("b", .bytes, baseline: [], current: [1]).kind == .added)
    }

    @Test("Estimates the power with which cost grows")
    func growth() throws {
        let square = try #require(Growth.exponent([(10, 100), (100, 10_000), (1_000, 1_000_000)]))
        #expect(abs(square - 2) < 1e-9)
        #expect(Growth.exponent([(10, 100)]) == nil)
        #expect(Growth.exponent([(10, 100), (10, 120)]) == nil)
    }
}

@Suite("Readings of a meter")
struct ReadingTests {
    @Test("A difference has what happened between two readings")
    func difference() {
        let first = Reading(wall: 10, cpu: 5, allocations: 3, bytes: 30, retains: 1, releases: 1, instructions: 100)
        let last = Reading(wall: 25, cpu: 11, allocations: 7, bytes: 90, retains: 4, releases: 3, instructions: 180)
        let expected = Reading(wall: 15, cpu: 6, allocations: 4, bytes: 60, retains: 3, releases: 2, instructions: 80)
        #expect(last.since(first) == expected)
    }

    @Test("What a program cannot count is -1, not 0")
    func uncounted() {
        let nothing = Reading(wall: 1, cpu: 1, allocations: -1, bytes: -1, instructions: -1)
        let difference = nothing.since(nothing)
        #expect(difference.allocations == -1 && difference.bytes == -1 && difference.instructions == -1)
        #expect(difference.wall == 0 && difference.retains == 0)
    }
}
