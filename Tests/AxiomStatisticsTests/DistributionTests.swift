// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Testing

@Suite("Distributions")
struct DistributionTests {
    @Test("Normal quantiles are SciPy's and mpmath's")
    func normal() throws {
        for reference in try Reference().normal {
            let value = try NormalDistribution.quantile(reference.p)
            #expect(abs(value - reference.x) <= 1e-13 * max(1, abs(reference.x)), "\(reference.p)")
            #expect(close(NormalDistribution.cumulative(value), reference.p, 1e-11))
        }
    }

    @Test("Incomplete beta functions have twelve digits, in the tails too")
    func beta() throws {
        for reference in try Reference().beta {
            let distribution = try BetaDistribution(alpha: reference.a, beta: reference.b)
            #expect(close(distribution.cumulative(reference.x), reference.p, 1e-12), "\(reference)")
            guard reference.p > 1e-300, reference.p < 0.999 else { continue }
            #expect(close(try distribution.quantile(reference.p), reference.x), "\(reference)")
        }
    }

    @Test("Student's distribution is mpmath's, and its quantiles are SciPy's")
    func student() throws {
        for reference in try Reference().student {
            let distribution = try StudentDistribution(degrees: reference.degrees)
            #expect(close(distribution.cumulative(reference.x), reference.p, 1e-12), "\(reference)")
            #expect(close(distribution.upper(-reference.x), reference.p, 1e-12), "\(reference)")
        }
        for reference in try Reference().student_quantile {
            let distribution = try StudentDistribution(degrees: reference.degrees)
            #expect(close(try distribution.quantile(reference.p), reference.x, 1e-9), "\(reference)")
        }
    }

    @Test("Student's quantiles are those of the printed table")
    func studentTable() throws {
        // t(.975): Fisher and Yates, table III.
        for (degrees, quantile) in [(1.0, 12.706), (4, 2.776), (9, 2.262), (30, 2.042), (120, 1.980)] {
            #expect(abs(try StudentDistribution(degrees: degrees).quantile(0.975) - quantile) < 5e-4)
        }
    }

    @Test("Binomial quantiles are SciPy's, and both tails add up")
    func binomial() throws {
        for reference in try Reference().binomial {
            let distribution = try BinomialDistribution(trials: reference.n, probability: reference.p)
            let found = try distribution.quantile(reference.level)
            #expect(found == reference.k, "\(reference)")
            #expect(close(distribution.cumulative(found) + distribution.upper(found), 1))
        }
    }

    @Test("Clopper and Pearson's bounds are SciPy's, and those the design quotes")
    func clopperPearson() throws {
        for reference in try Reference().clopper_pearson {
            let bounds = try BinomialDistribution.clopperPearson(
                successes: reference.successes,
                trials: reference.trials
            )
            #expect(close(bounds.lowerBound, reference.lower) && close(bounds.upperBound, reference.upper))
        }
        for (trials, bound) in [(100, 0.0295), (300, 0.0099), (1_000, 0.0030)] {
            let bounds = try BinomialDistribution.clopperPearson(successes: 0, trials: trials)
            #expect(abs(bounds.upperBound - bound) < 1e-4)
        }
    }

    @Test("Detectable effects are SciPy's, and those the design quotes")
    func detectable() throws {
        for reference in try Reference().detectable {
            let effect = try MinimumDetectableEffect.effect(
                deviation: reference.deviation,
                count: reference.count,
                alpha: reference.alpha,
                power: reference.power
            )
            #expect(close(effect, reference.effect, 1e-9))
        }
        #expect(abs(try MinimumDetectableEffect.effect(deviation: 0.02, count: 10) - 0.023) < 5e-4)
    }

    @Test("Parameters outside their range are refused and named")
    func refused() {
        #expect(throws: ProfileError.self) { try NormalDistribution.quantile(1) }
        #expect(throws: ProfileError.self) { try StudentDistribution(degrees: 0) }
        #expect(throws: ProfileError.self) { try BetaDistribution(alpha: .nan, beta: 1) }
        #expect(throws: ProfileError.self) { try BinomialDistribution(trials: 0, probability: 0.5) }
        #expect(throws: ProfileError.self) { try BinomialDistribution.clopperPearson(successes: 2, trials: 1) }
        let error = #expect(throws: ProfileError.self) {
            try BinomialDistribution.clopperPearson(successes: 1, trials: 2, level: .nan)
        }
        #expect(error?.message == "the level is nan and must lie between 0 and 1, both excluded")
    }
}
