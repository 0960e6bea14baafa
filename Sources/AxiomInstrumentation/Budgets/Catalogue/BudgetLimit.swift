// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The maximum cost of an operation. A cost equal to the limit is within it, like an observation on a histogram's
/// bound.
public struct BudgetLimit: Sendable, Hashable, CustomStringConvertible {
    /// The unit of the limit.
    public enum Unit: Sendable, Hashable {
        /// Nanoseconds.
        case time
        /// Bytes.
        case bytes
        /// A count, for example of leaks.
        case count
        /// No unit: the specification requires a quality without a number.
        case none
    }

    /// The unit of the limit.
    public let unit: Unit
    /// The number of units.
    public let value: Int64

    /// A limit without a number.
    static let unstated = BudgetLimit(unit: .none, value: 0)

    /// A limit of time.
    public static func duration(_ duration: Duration) -> BudgetLimit {
        BudgetLimit(unit: .time, value: duration.clampedNanoseconds)
    }

    /// A limit of memory.
    public static func bytes(_ bytes: Int) -> BudgetLimit {
        BudgetLimit(unit: .bytes, value: Int64(bytes))
    }

    /// A count.
    static func count(_ count: Int) -> BudgetLimit {
        BudgetLimit(unit: .count, value: Int64(count))
    }

    /// The limit in the unit of metrics: seconds, bytes or a count.
    package var metricValue: Double {
        unit == .time ? Double(value) / 1e9 : Double(value)
    }

    /// The limit with a unit that suits its size, for example `8 ms` or `512 B`.
    public var description: String {
        unit == .none ? "no number" : unit.text(metricValue)
    }
}

extension BudgetLimit.Unit {
    /// `value`, in seconds, bytes or a count, with a unit that suits its size.
    func text(_ value: Double) -> String {
        switch self {
        case .time: QuantityFormat.time(value)
        case .bytes: QuantityFormat.size(value)
        case .count, .none: QuantityFormat.number(value)
        }
    }
}
