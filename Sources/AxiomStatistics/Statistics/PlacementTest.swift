// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Tests whether marked elements are where they are by chance: permutation tests of several statistics at once, which share
/// the random places. The same seed gives the same p-values.
///
/// A test stops when 20 random placings had at least the observed value; its p-value is then 20 divided by the number of
/// placings. That p-value is valid too (Besag and Clifford, "Sequential Monte Carlo p-values", 1991), and most tests
/// without an effect end soon.
package struct PlacementTest: Sendable {
    /// A value of the places of the marked elements, each an index below the number of elements. Large values speak against
    /// chance.
    package typealias Statistic = (_ places: ArraySlice<Int>) -> Double

    private static let enough = 20

    /// The most placings. The least p-value is 1 divided by one more.
    package let placings: Int
    package let seed: UInt64

    package init(placings: Int = 1_999, seed: UInt64 = 0) {
        (self.placings, self.seed) = (placings, seed)
    }

    /// The p-value of each statistic, in 0...1; 1 where there is none.
    ///
    /// - Parameters:
    ///   - marked: How many elements are marked: the first ones.
    ///   - count: The number of elements.
    package func pValues(of marked: Int, among count: Int, _ statistics: [Statistic?]) -> [Double] {
        var (places, random) = (Array(0..<count), SeededGenerator(seed: seed))
        let observed = statistics.map { $0?(places.prefix(marked)) ?? 0 }
        var (reached, results) = (observed.map { _ in 0 }, statistics.map { $0 == nil ? 1.0 : nil })
        for number in 1...max(1, placings) where results.contains(nil) {
            for index in 0..<marked { places.swapAt(index, index + random.index(below: count - index)) }
            for (index, statistic) in statistics.enumerated() where results[index] == nil {
                // Rounding must not make equal values differ.
                let least = observed[index] - observed[index].magnitude * 1e-9
                guard let statistic, statistic(places.prefix(marked)) >= least else { continue }
                reached[index] += 1
                if reached[index] == Self.enough { results[index] = Double(Self.enough) / Double(number) }
            }
        }
        return results.indices.map { results[$0] ?? Double(reached[$0] + 1) / Double(placings + 1) }
    }
}
