// SPDX-License-Identifier: Apache-2.0

/// Which deviation from "no difference" a test looks for. There are these three and no others.
public enum Alternative: Hashable, Sendable, CaseIterable {
    /// The second sample, or the differences, are larger.
    case greater
    /// The second sample, or the differences, are smaller.
    case less
    /// Either.
    case twoSided

    /// The p-value, from the probabilities of what was seen or more in each direction.
    func pValue(greater: Double, less: Double) -> Double {
        switch self {
        case .greater: greater
        case .less: less
        case .twoSided: min(1, 2 * min(greater, less))
        }
    }
}
