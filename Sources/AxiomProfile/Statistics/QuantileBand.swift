// SPDX-License-Identifier: Apache-2.0

/// Which ranks of an independent sample enclose a quantile of what it was drawn from: the number of observations below
/// the quantile is binomial, whatever the distribution (Conover, "Practical nonparametric statistics", 3.2).
public struct QuantileBand: Hashable, Sendable {
    /// The number of observations.
    public let count: Int
    /// The rank of the lower end, from 1; 0 when the sample has no observation low enough, and the band no lower end.
    public let lowerRank: Int
    /// The rank of the upper end; `count + 1` when the sample has none high enough, and the band no upper end.
    public let upperRank: Int

    /// The band of one quantile.
    ///
    /// - Parameters:
    ///   - probability: Which quantile, between 0 and 1.
    ///   - count: The number of observations, at least 1.
    ///   - confidence: Of the band; each end alone holds with (1 + confidence) / 2.
    /// - Throws: ``ProfileError`` when a parameter is outside its range.
    public init(probability: Double, count: Int, confidence: Double) throws(ProfileError) {
        try Check.probability(confidence, "the confidence")
        let below = try BinomialDistribution(trials: count, probability: probability)
        let outside = (1 - confidence) / 2
        self.count = count
        lowerRank = try below.quantile(outside)
        // The least rank that fewer observations than it lie below with enough probability.
        upperRank = try below.quantile(1 - outside) + 1
    }

    /// The ranks as shares of the sample, between which the quantile lies.
    public var shares: (lower: Double, upper: Double) {
        (Double(lowerRank) / Double(count), min(1, Double(upperRank) / Double(count)))
    }

    /// The ends of the band in a sample; infinite where it has none.
    ///
    /// - Throws: ``ProfileError`` when the sample has another size or is not finite.
    public func bounds(in values: [Double]) throws(ProfileError) -> (lower: Double, upper: Double) {
        try Check.sample(values)
        guard values.count == count else {
            throw ProfileError(.invalidSample, "the band is for \(count) values and the sample has \(values.count)")
        }
        let sorted = values.sorted()
        return (
            lowerRank < 1 ? -.infinity : sorted[lowerRank - 1],
            upperRank > count ? .infinity : sorted[upperRank - 1]
        )
    }
}
