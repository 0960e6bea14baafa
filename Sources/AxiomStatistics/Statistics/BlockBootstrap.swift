// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Resamples a series in blocks of neighbours, so that what the neighbours have in common stays in: the circular block
/// bootstrap (Politis and Romano, "A circular block-resampling procedure for stationary data", 1992). The same seed
/// gives the same resamples.
package struct BlockBootstrap: Hashable, Sendable {
    /// How many neighbours stay together, at least 1.
    package let blockLength: Int
    /// How many resamples are drawn, at least 2.
    package let replicates: Int
    /// Where the random numbers start.
    package let seed: UInt64

    /// Creates a bootstrap.
    ///
    /// - Throws: ``ProfileError`` if a parameter is outside its range.
    package init(blockLength: Int, replicates: Int = 1_000, seed: UInt64 = 0) throws(ProfileError) {
        try Check.count(blockLength, "the block length", atLeast: 1)
        try Check.count(replicates, "the number of replicates", atLeast: 2)
        self.blockLength = blockLength
        self.replicates = replicates
        self.seed = seed
    }

    /// The block length for a series: twice its autocorrelation time, at least 1. A block then holds what neighbours
    /// share, at the price of fewer blocks.
    ///
    /// - Throws: ``ProfileError`` if the series has fewer than eight values or one is not finite.
    package static func blockLength(for values: [Double]) throws(ProfileError) -> Int {
        let time = try Autocorrelation.time(of: values)
        return time > 1 ? Int((2 * time).rounded(.up)) : 1
    }

    /// The statistic of every resample, in the order in which they are drawn.
    ///
    /// - Parameters:
    ///   - values: The series.
    ///   - statistic: Of a resample, which is as long as the series.
    /// - Throws: ``ProfileError`` if the series is shorter than two blocks or not finite.
    package func distribution(
        of values: [Double],
        _ statistic: ([Double]) -> Double
    ) throws(ProfileError) -> [Double] {
        try Check.sample(values, "the series", atLeast: blockLength > .max / 2 ? .max : 2 * blockLength)
        var results: [Double] = []
        var resample = values
        forEachResample(of: values.count) { indices in
            for (position, index) in indices.enumerated() { resample[position] = values[index] }
            results.append(statistic(resample))
        }
        return results
    }

    /// The standard deviation of the statistic over the resamples: its standard error.
    ///
    /// - Throws: ``ProfileError`` if the series is shorter than two blocks or not finite.
    package func standardError(of values: [Double], _ statistic: ([Double]) -> Double) throws(ProfileError) -> Double {
        Statistics.spread(try distribution(of: values, statistic))
    }

    /// Hands out the indices of each resample: blocks from anywhere, past the end on from the start, the last one cut.
    func forEachResample(of count: Int, _ body: ([Int]) -> Void) {
        var generator = SeededGenerator(seed: seed)
        var indices = [Int](repeating: 0, count: count)
        for _ in 0..<replicates {
            var filled = 0
            while filled < count {
                let start = generator.index(below: count)
                let length = min(blockLength, count - filled)
                for step in 0..<length { indices[filled + step] = (start + step) % count }
                filled += length
            }
            body(indices)
        }
    }
}
