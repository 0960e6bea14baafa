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

    /// - Throws: ``ProfileError`` if a parameter is outside its range.
    package init(blockLength: Int, replicates: Int = 1_000, seed: UInt64 = 0) throws(ProfileError) {
        try Check.count(blockLength, "the block length", atLeast: 1)
        try Check.count(replicates, "the number of replicates", atLeast: 2)
        self.blockLength = blockLength
        self.replicates = replicates
        self.seed = seed
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

/// The similarity of the values of a series to earlier values.
package enum Autocorrelation {
    /// The integrated autocorrelation time, in steps of the series, at least 1: the number of neighbouring values that
    /// have as much information about the mean as one independent value.
    ///
    /// The largest of three estimates: each misses something else, and too short a time causes false alarms:
    /// - (1 + r) / (1 - r) of a first-order autoregression, r being freed of its bias (Marriott and Pope, Biometrika
    ///   41, 1954);
    /// - the sum S of the first m autocorrelations on both sides, m = 5 or a twelfth of a shorter series, as
    ///   S / (1 - 2m / n), because estimating the mean takes about time / n from each: it sees slow changes under noise;
    /// - the sum within Sokal's window, at least five times the result wide ("Monte Carlo methods in statistical
    ///   mechanics", 1989), where the series is 50 times as long; below that it is mostly noise.
    ///
    /// - Throws: ``ProfileError`` if there are fewer than eight values or one is not finite.
    package static func time(of values: [Double]) throws(ProfileError) -> Double {
        try Check.sample(values, "the series", atLeast: 8)
        let count = Double(values.count)
        let first = min(0.99, (count * coefficient(1, values) + 1) / (count - 4))
        let lags = min(5, values.count / 12)
        let near = 1 + 2 * (1..<(lags + 1)).reduce(0) { $0 + coefficient($1, values) }
        var sum = 1.0
        for lag in 1..<(values.count / 2) {
            sum += 2 * coefficient(lag, values)
            if Double(lag) >= 5 * sum { break }
        }
        let far = count >= 50 * sum ? sum : 1
        return max(1, (1 + first) / (1 - first), near / (1 - 2 * Double(lags) / count), far)
    }

    /// The autocorrelation at a lag, 0 to `values.count - 1`, with the divisor n at every lag, as Box and Jenkins have it;
    /// 0 for a series that does not vary.
    static func coefficient(_ lag: Int, _ values: [Double]) -> Double {
        let mean = Statistics.average(values)
        let centred = values.map { $0 - mean }
        let variance = centred.reduce(0) { $0 + $1 * $1 }
        guard variance > 0 else { return 0 }
        return zip(centred, centred.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 } / variance
    }
}
