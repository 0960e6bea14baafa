// SPDX-License-Identifier: Apache-2.0

/// Adjusts the p-values of a family of tests that are judged together. A test is rejected at a level when its adjusted
/// p-value is at most that level.
package enum MultipleComparisons {
    /// Bounds the probability of even one false rejection, whatever the tests have to do with each other (Holm, "A
    /// simple sequentially rejective multiple test procedure", 1979).
    ///
    /// - Returns: The adjusted p-values, in the order of the input.
    /// - Throws: ``ProfileError`` if one is not in 0...1.
    package static func holm(_ pValues: [Double]) throws(ProfileError) -> [Double] {
        if let position = pValues.firstIndex(where: { !(0...1).contains($0) }) {
            throw ProfileError(.invalidParameter, "p-value \(position) is \(pValues[position]) and must be in 0...1")
        }
        var adjusted = pValues
        var largest = 0.0
        for (position, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated() {
            largest = max(largest, Double(pValues.count - position) * pValues[index])
            adjusted[index] = min(1, largest)
        }
        return adjusted
    }
}
