// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A quantity measured in pairs of runs, once before and once after a change: by how much it changed, and how sure that
/// is. The unit of replication is the pair; samples of one process do not count as several.
public struct PairedComparison: Hashable, Sendable {
    /// The logarithms of the ratios, after over before, in the order of the pairs.
    public let logRatios: [Double]
    /// The Hodges-Lehmann estimate of the ratio's logarithm, with its exact interval of confidence 1 - 2 · alpha.
    public let shift: ShiftEstimate
    /// The exact one-sided probability of such pairs when nothing got worse.
    public let pValue: Double

    /// Compares.
    ///
    /// - Parameters:
    ///   - logRatios: The natural logarithm of after over before, for each pair.
    ///   - alpha: The probability of a false alarm that each end of the interval has.
    /// - Throws: ``ProfileError`` when there are too few pairs for `alpha`, so that the test could never fail, or a
    ///   ratio is not finite.
    public init(logRatios: [Double], alpha: Double) throws(ProfileError) {
        try Check.probability(2 * alpha, "twice alpha")
        self.logRatios = logRatios
        shift = try HodgesLehmann.interval(of: logRatios, confidence: 1 - 2 * alpha)
        pValue = try SignedRankTest(logRatios).pValue(.greater)
    }

    /// The estimated ratio of after to before.
    public var change: RelativeChange { RelativeChange(logarithm: shift.value) }

    /// The verdict: `regressed` when the p-value is at most `level` and the estimate at least `minimumEffect`;
    /// `ok` when the whole interval is below that effect; `insufficient` otherwise.
    ///
    /// - Parameters:
    ///   - adjustedP: The p-value, adjusted for the other comparisons of the family.
    ///   - level: The family's probability of a false alarm.
    ///   - minimumEffect: The relative change that matters: 0.02 is 2 %.
    public func verdict(adjustedP: Double, level: Double, minimumEffect: Double) -> Verdict {
        let floor = log1p(minimumEffect)
        let percent = (change.relative * 1_000).rounded() / 10
        if adjustedP <= level, shift.value >= floor {
            return Verdict(.regressed, .slower, "worse by \(percent) %")
        }
        if shift.upper < floor { return Verdict(.ok) }
        return Verdict(.insufficient, .tooFewPairs, "an effect of \(minimumEffect) cannot be excluded")
    }
}
