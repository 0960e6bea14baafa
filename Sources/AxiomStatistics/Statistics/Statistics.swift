// SPDX-License-Identifier: Apache-2.0

/// Descriptive statistics of a sample. Cost: one pass, or a sort for ranks.
package enum Statistics {
    /// The middle of the sorted sample; the mean of the two in the middle when their number is even.
    ///
    /// - Throws: ``ProfileError`` if the sample is empty or not finite.
    package static func median(_ values: [Double]) throws(ProfileError) -> Double {
        try Check.sample(values)
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2
    }

    /// The standard deviation with the divisor n - 1, in the unit of the sample.
    ///
    /// - Throws: ``ProfileError`` if there are fewer than two values or one is not finite.
    package static func standardDeviation(_ values: [Double]) throws(ProfileError) -> Double {
        try Check.sample(values, atLeast: 2)
        return spread(values)
    }

    /// The quantile of rank `ceil(probability · n)` of the sample, which is always one of its values (Hyndman and Fan
    /// 1996, definition 1).
    ///
    /// - Throws: ``ProfileError`` if the sample is empty or not finite, or the probability is not between 0 and 1.
    package static func quantile(_ probability: Double, of values: [Double]) throws(ProfileError) -> Double {
        try Check.sample(values)
        try Check.probability(probability, "the probability")
        let rank = Int((probability * Double(values.count)).rounded(.up))
        return values.sorted()[max(rank, 1) - 1]
    }

    /// The mean of values that were checked.
    package static func average(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    /// The standard deviation of values that were checked, in two passes, so that a large mean costs no digits.
    static func spread(_ values: [Double]) -> Double {
        let mean = average(values)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(values.count - 1)).squareRoot()
    }
}

/// Adjusts the p-values of a family of tests that are judged together. A test is rejected at a level when its adjusted
/// p-value is at most that level.
package enum MultipleComparisons {
    /// Bounds the probability of even one false rejection, whatever the tests have to do with each other (Holm, "A
    /// simple sequentially rejective multiple test procedure", 1979).
    ///
    /// - Returns: The adjusted p-values, in the order of the input.
    /// - Throws: ``ProfileError`` if one is not in 0...1.
    package static func holm(_ pValues: [Double]) throws(ProfileError) -> [Double] {
        try check(pValues)
        var adjusted = pValues
        var largest = 0.0
        for (position, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated() {
            largest = max(largest, Double(pValues.count - position) * pValues[index])
            adjusted[index] = min(1, largest)
        }
        return adjusted
    }

    /// Bounds the expected share of false rejections among all rejections, if the tests are independent or positively
    /// related (Benjamini and Hochberg, "Controlling the false discovery rate", 1995).
    ///
    /// - Returns: The adjusted p-values, in the order of the input.
    /// - Throws: ``ProfileError`` if one is not in 0...1.
    package static func benjaminiHochberg(_ pValues: [Double]) throws(ProfileError) -> [Double] {
        try check(pValues)
        var adjusted = pValues
        var least = 1.0
        for (position, index) in pValues.indices.sorted(by: { pValues[$0] > pValues[$1] }).enumerated() {
            least = min(least, Double(pValues.count) / Double(pValues.count - position) * pValues[index])
            adjusted[index] = least
        }
        return adjusted
    }

    private static func check(_ pValues: [Double]) throws(ProfileError) {
        guard let position = pValues.firstIndex(where: { !(0...1).contains($0) }) else { return }
        throw ProfileError(.invalidParameter, "p-value \(position) is \(pValues[position]) and must be in 0...1")
    }
}
