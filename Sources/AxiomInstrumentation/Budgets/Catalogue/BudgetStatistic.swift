// SPDX-License-Identifier: Apache-2.0

/// What of many operations has to be within a limit.
public enum BudgetStatistic: Sendable, Hashable, CustomStringConvertible {
    /// Each of them.
    case every
    /// Their arithmetic mean.
    case mean
    /// 95 of 100.
    case p95
    /// 99 of 100.
    case p99

    /// The share of operations that a service level asks to be within the limit: that of a percentile; 0.999 where each
    /// has to be, since a level of 1 has no errors to burn; 0.99 for a mean.
    var objective: Double {
        switch self {
        case .every: 0.999
        case .mean, .p99: 0.99
        case .p95: 0.95
        }
    }

    /// As in `p95`.
    public var description: String {
        switch self {
        case .every: "every"
        case .mean: "mean"
        case .p95: "p95"
        case .p99: "p99"
        }
    }
}
