// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same for the same seed, on every machine and with every version of Swift: SplitMix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Starts from `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// A generator of its own for one of several users of one seed.
    public init(seed: UInt64, stream: UInt64) {
        var root = SeededGenerator(seed: seed ^ (stream &* 0xd1b5_4a32_d192_ed03))
        state = root.next()
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// A whole number from 0 to `bound` - 1, each as likely as the others; 0 when `bound` is not positive.
    ///
    /// By multiplication and rejection (Lemire, "Fast random integer generation in an interval", 2019), written out
    /// because the standard library does not promise to draw the same number in every version.
    public mutating func index(below bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        let range = UInt64(bound)
        let rejected = (0 &- range) % range
        var product = next().multipliedFullWidth(by: range)
        while product.low < rejected { product = next().multipliedFullWidth(by: range) }
        return Int(product.high)
    }

    /// A number from 0 to 1, the latter excluded, in steps of 2^-53.
    public mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A standard normal number, by inversion.
    public mutating func normal() -> Double {
        NormalDistribution.quantileUnchecked((Double(next() >> 11) + 0.5) * 0x1p-53)
    }
}
