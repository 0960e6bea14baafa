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
