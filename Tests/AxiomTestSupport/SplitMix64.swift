// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A random number generator that gives the same numbers for the same seed (Steele, Lea and Flood, 2014).
public struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// Starts from `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}

/// The seed of a test that draws: another one in each run, printed, so that a failure can be repeated.
public enum TestSeed {
    /// The environment variable that repeats a run.
    public static let variable = "AXIOM_TEST_SEED"

    /// The seed that the environment names, else one of the clock.
    public static func drawn(for test: String = #function) -> UInt64 {
        let named = ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
        let seed = named ?? UInt64(Date().timeIntervalSince1970 * 1_000)
        print("\(test) draws from the seed \(seed); \(variable)=\(seed) repeats it")
        return seed
    }
}
