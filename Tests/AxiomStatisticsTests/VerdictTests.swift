// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@Suite("Pairs of runs")
struct VerdictTests {
    @Test("Too few pairs for the level are refused, because they could never fail")
    func tooFewPairs() throws {
        #expect(throws: ProfileError.self) { try PairedComparison(logRatios: [1, 1, 1], alpha: 0.01) }
        let ratios = [0.05, 0.06, 0.04, 0.05, 0.05, 0.07, 0.03]
        let comparison = try PairedComparison(logRatios: ratios, alpha: 0.01)
        #expect(comparison.pValue == 1.0 / 128)
        #expect(comparison.shift.value == 0.05 && comparison.shift.contains(0.04))
    }
}
