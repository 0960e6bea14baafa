// SPDX-License-Identifier: Apache-2.0

import AxiomProfile
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing counts")
struct CountJudgeTests {
    @Test(
        "One more is worse, one less better, and what varies is no gate",
        arguments: [
            ([4, 4, 4], [4, 4, 4], Verdict.Kind.ok),
            ([4, 4, 4], [5, 5, 5], .regressed),
            ([4, 4, 4], [3, 3, 3], .improved),
            ([0, 0, 0], [1, 1, 1], .regressed),
            // Not exact any more, and worse each time.
            ([4, 4, 4], [5, 6, 5], .regressed),
            // Not exact any more: a finding by itself.
            ([4, 4, 4], [4, 5, 4], .insufficient),
            // Never was exact.
            ([4, 5, 4], [9, 9, 9], .information),
        ] as [([Double], [Double], Verdict.Kind)]
    )
    func exact(_ baseline: [Double], _ current: [Double], _ expected: Verdict.Kind) {
        #expect(CountJudge.judge("b", .allocations, baseline: baseline, current: current).kind == expected)
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
