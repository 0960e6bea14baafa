// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

/// Random numbers that are the same for the same seed, for what has to be `Sendable`.
struct Dice: RandomNumberGenerator, Sendable {
    private var seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    mutating func next() -> UInt64 {
        var generator = SplitMix64(seed: seed)
        seed = generator.next()
        return seed
    }
}
