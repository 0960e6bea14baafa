// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same for the same seed: SplitMix64 (Steele, Lea and Flood, 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// An independent stream of numbers for one of several users of a seed.
    package init(seed: UInt64, stream: UInt64) {
        var root = SeededGenerator(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
        state = root.next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
