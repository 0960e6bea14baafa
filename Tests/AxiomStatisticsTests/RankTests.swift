// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomStatistics

@Suite("Rank tests and the estimates that belong to them")
struct RankTests {
    /// Hamilton's depression factors of nine patients before and after treatment, as in Hollander and Wolfe, table 3.1,
    /// and in the documentation of R's `wilcox.test`.
    private static let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    private static let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

    @Test("The signed-rank test gives SciPy's p-values, exact ones with ties too")
    func signedRank() throws {
        for reference in try Reference().signed_rank {
            let test = try SignedRankTest(reference.values)
            #expect(test.isExact == (reference.method == "exact"))
            for (name, found) in [("greater", test.greater), ("less", test.less)] {
                let expected = try #require(reference.p[name])
                #expect(close(found, expected), "\(reference.values.count) \(name)")
            }
        }
    }

    @Test("The interval of the Hodges-Lehmann estimate is the one that counting all averages gives")
    func interval() throws {
        for reference in try Reference().signed_rank {
            guard let expected = reference.interval else { continue }
            let found = try HodgesLehmann.interval(of: reference.values, confidence: 0.9)
            #expect(close(found.value, expected.value))
            #expect(close(found.lower, expected.lower) && close(found.upper, expected.upper))
            #expect(close(found.confidence, expected.confidence))
        }
    }

    @Test("The depression factors give what R and Hollander and Wolfe print")
    func published() throws {
        let differences = zip(Self.before, Self.after).map { $0 - $1 }
        let test = try SignedRankTest(differences)
        #expect(test.statistic == 40)
        #expect(close(test.greater, 0.01953, 1e-3))
        let interval = try HodgesLehmann.interval(of: differences, confidence: 0.95)
        #expect(close(interval.value, 0.46, 1e-9))
        #expect(close(interval.lower, 0.01, 1e-9) && close(interval.upper, 0.786, 1e-9))
        #expect(interval.contains(0.5) && !interval.contains(0))
    }

    @Test("Critical values of the signed rank are those of the printed tables")
    func criticalValues() throws {
        // One-sided .05, .025, .01 and .005: McCornack, "Extended tables of the Wilcoxon matched pair signed rank
        // statistic", Journal of the American Statistical Association 60, 1965.
        let table: [Int: [Int?]] = [
            5: [0, nil, nil, nil], 6: [2, 0, nil, nil], 7: [3, 2, 0, nil], 8: [5, 3, 1, 0], 9: [8, 5, 3, 1],
            10: [10, 8, 5, 3], 12: [17, 13, 9, 7], 15: [30, 25, 19, 15], 20: [60, 52, 43, 37], 25: [100, 89, 76, 68],
            50: [466, 434, 397, 373],
        ]
        for (count, row) in table {
            let distribution = SignedRankDistribution(doubledRanks: (1...count).map { 2 * $0 })
            #expect([0.05, 0.025, 0.01, 0.005].map(distribution.criticalValue) == row, "n = \(count)")
        }
    }

    @Test("The signed-rank distribution is the one that counting whole numbers gives")
    func distribution() throws {
        for reference in try Reference().signed_rank_cumulative {
            let distribution = SignedRankDistribution(doubledRanks: (1...reference.n).map { 2 * $0 })
            #expect(close(distribution.cumulative(reference.w), reference.p))
            #expect(close(distribution.upper(distribution.maximum - reference.w), reference.p))
        }
    }

    @Test("So many differences as stated can reach a level, and one fewer cannot")
    func leastCounts() throws {
        // Section 3.2 of the design: .05, .01, .001, .0005, .0001.
        for (alpha, count) in [(0.05, 5), (0.01, 7), (0.001, 10), (0.0005, 11), (0.0001, 14)] {
            #expect(try SignedRankDistribution.leastCount(for: alpha) == count)
            #expect(try SignedRankTest((1...count).map(Double.init)).greater <= alpha)
            #expect(try SignedRankTest((1..<count).map(Double.init)).greater > alpha)
        }
        let error = #expect(throws: ProfileError.self) {
            try HodgesLehmann.interval(of: [1, 2, 3, 4], confidence: 0.98)
        }
        #expect(error?.message.contains("take 7 or more") == true)
    }

    @Test("Mann and Whitney's test gives SciPy's p-values, exact ones with ties too")
    func mannWhitney() throws {
        for reference in try Reference().mann_whitney {
            let test = try MannWhitneyTest(reference.first, reference.second)
            #expect(test.statistic == reference.u)
            #expect(test.isExact == reference.exact)
            let expected = try #require(reference.p["greater"])
            #expect(close(test.pValue, expected), "\(reference.first.count)")
            let interval = try HodgesLehmann.shiftInterval(
                from: reference.first,
                to: reference.second,
                confidence: 0.8
            )
            #expect(close(interval.value, reference.shift))
            #expect(interval.contains(interval.value) && interval.confidence > 0.79)
        }
    }

    @Test("The end of an interval is where the test of its level turns")
    func duality() throws {
        var generator = SeededGenerator(seed: 4)
        for count in [8, 13, 40] {
            let values = (0..<count).map { _ in generator.normal() }
            let interval = try HodgesLehmann.interval(of: values, confidence: 0.95)
            for (shift, rejected) in [(interval.lower - 1e-9, true), (interval.lower + 1e-9, false)] {
                let p = try SignedRankTest(values.map { $0 - shift }).greater
                #expect((p <= 0.025) == rejected)
            }
        }
    }

    @Test("An estimate is the same number that sorting all pairs gives, for hostile samples too")
    func selection() throws {
        var generator = SeededGenerator(seed: 9)
        let hostile: [[Double]] = [
            [0], [-0.0, 0], [1e308, 1e308, -1e308], [1, 1, 1, 1], [-5, -5, 7], [1e-300, -1e-300, 0],
        ]
        let random = (1...60).map { count in (0..<count).map { _ in (generator.normal() * 8).rounded() } }
        for values in hostile + random {
            let sorted = values.sorted()
            var averages = sorted.indices.flatMap { row in sorted[row...].map { sorted[row] / 2 + $0 / 2 } }
            averages.sort()
            let upper = averages[averages.count / 2]
            let lower = averages[(averages.count - 1) / 2]
            let centre = PairwiseSums(walshAveragesOf: values).median
            #expect(centre == (averages.count % 2 == 1 ? upper : lower / 2 + upper / 2), "\(values)")
            #expect(centre.sign == .plus || centre < 0)
        }
    }

    @Test("Samples that cannot be tested are rejected with an error that states the reason")
    func refused() throws {
        for values in [[], [1, .nan], [.infinity]] {
            #expect(throws: ProfileError.self) { try SignedRankTest(values) }
            #expect(throws: ProfileError.self) { try HodgesLehmann.interval(of: values, confidence: 0.5) }
            #expect(throws: ProfileError.self) { try MannWhitneyTest(values, [1]) }
            #expect(throws: ProfileError.self) { try Statistics.median(values) }
        }
        let error = #expect(throws: ProfileError.self) { try Statistics.median([1, 2, .nan]) }
        #expect(error?.code == .invalidSample)
        #expect(error?.message.hasPrefix("value 2 of the sample is nan") == true)
        #expect(try SignedRankTest([0, 0, 0]).greater == 1)
        #expect(try MannWhitneyTest([1, 1], [1, 1]).pValue == 1)
        let equal = [Double](repeating: 1, count: 100)
        #expect(try MannWhitneyTest(equal, equal).pValue == 1)
    }
}
