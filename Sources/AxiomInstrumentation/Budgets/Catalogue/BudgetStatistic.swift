// SPDX-License-Identifier: Apache-2.0

/// The statistic of many operations that must be within a limit.
public enum BudgetStatistic: Sendable, Hashable, CustomStringConvertible {
    /// Each operation.
    case every
    /// Their arithmetic mean.
    case mean
    /// The 95th percentile.
    case p95
    /// The 99th percentile.
    case p99

    /// The share of operations that a service level requires to be within the limit: for a percentile its own share;
    /// for every operation 0.999, because a level of 1 has no errors to burn; for a mean 0.99.
    var objective: Double {
        switch self {
        case .every: 0.999
        case .mean, .p99: 0.99
        case .p95: 0.95
        }
    }

    /// The name, for example `p95`.
    public var description: String {
        switch self {
        case .every: "every"
        case .mean: "mean"
        case .p95: "p95"
        case .p99: "p99"
        }
    }
}
