// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The part of the random cases that a run takes: `AXIOM_TEST_SCALE`, from 0 to 1, or less without the variable.
public enum TestScale {
    /// The factor.
    ///
    /// - Parameter usual: That of a run without the variable.
    public static func factor(usual: Double = 0.05) -> Double {
        let given = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init)
        return min(1, max(0.001, given ?? usual))
    }

    /// How many of `full` cases a run takes; at least 1.
    public static func count(_ full: Int, usual: Double = 0.05) -> Int {
        max(1, Int(Double(full) * factor(usual: usual)))
    }
}
