// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same for the same seed, on every machine and with every version of Swift: SplitMix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Starts from `seed`.
    package init(seed: UInt64) { state = seed }

    /// Starts an independent stream of numbers for one of several users of a seed.
    package init(seed: UInt64, stream: UInt64) {
        var root = SeededGenerator(seed: seed ^ (stream &* 0xd1b5_4a32_d192_ed03))
        state = root.next()
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// A uniform integer in `0..<bound`; 0 if `bound` is not positive.
    ///
    /// Uses multiplication and rejection (Lemire, "Fast random integer generation in an interval", 2019). Written here
    /// because the standard library does not promise to draw the same number in every version.
    package mutating func index(below bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        let range = UInt64(bound)
        let rejected = (0 &- range) % range
        var product = next().multipliedFullWidth(by: range)
        while product.low < rejected { product = next().multipliedFullWidth(by: range) }
        return Int(product.high)
    }

    /// A uniform number in `0..<1`, in steps of 2^-53.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
