// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The seed of a randomized test: another one in each run, printed, so that a failure can be repeated.
public enum TestSeed {
    /// The environment variable that repeats a run.
    public static let variable = "AXIOM_TEST_SEED"

    /// The seed in the environment; without one, a seed from the clock.
    public static func drawn(for test: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
        let seed = given ?? UInt64(Date().timeIntervalSince1970 * 1_000)
        print("\(test) uses the seed \(seed); \(variable)=\(seed) repeats it")
        return seed
    }

    /// The seed of a test whose bound can fail by chance: the same in each run, and another one at full scale.
    public static func steady(for test: String = #function) -> UInt64 {
        TestScale.factor() < 1 && ProcessInfo.processInfo.environment[variable] == nil ? 1 : drawn(for: test)
    }
}

/// The seeded generator of `AxiomBase`, for test files that do not import that module.
public struct SplitMix64: RandomNumberGenerator {
    private var generator: SeededGenerator

    /// Starts from `seed`.
    public init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        generator.next()
    }
}
