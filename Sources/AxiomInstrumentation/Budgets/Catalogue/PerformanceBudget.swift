// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The permitted cost of one operation: a row of the specification's tables, or a budget that an application adds.
public struct PerformanceBudget: Sendable, Hashable {
    /// The name of a budget in snake case, which is its metric label.
    public struct ID: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// Makes a name. It is validated when a telemetry is created.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Makes a name from a literal.
        public init(stringLiteral value: String) { rawValue = value }

        /// The name.
        public var description: String { rawValue }
    }

    /// A row of the specification that requires the budget.
    package struct Row: Sendable, Hashable {
        /// The document and its section.
        package let document: String
        /// The operation, as the row words it.
        package let operation: String
        /// The target, as the row words it.
        package let target: String
    }

    /// Whether and where the operation is measured.
    package enum Place: Sendable, Hashable {
        /// It is measured at the place that the text names.
        case measured(String)
        /// It cannot be measured, for the reason that the text names.
        case notAvailable(String)
    }

    /// The name.
    public let id: ID
    /// A description of the operation.
    public let operation: String
    /// The corresponding rows of the specification; empty for an application's own budget.
    package let rows: [Row]
    /// The maximum cost. If two rows name one operation, the stricter one applies.
    public internal(set) var limit: BudgetLimit
    /// The statistic that must be within the limit. If the specification does not say, it is nil and the 99th
    /// percentile is judged.
    package let statistic: BudgetStatistic?
    /// The share of operations that the service level requires to be within the limit, between 0 and 1.
    package let objective: Double
    /// The place of the measurement, or the reason for its absence.
    package let place: Place

    /// Makes an application's own budget, for operations that ``PerformanceMonitor/measure(_:isolation:_:)`` times under the label `id`.
    ///
    /// - Parameters:
    ///   - id: Lower-case letters, digits and underscores; not the name of another budget.
    ///   - operation: A description of the operation.
    ///   - limit: More than 0.
    ///   - statistic: The statistic that must be within the limit; by default the 99th percentile.
    ///   - objective: The share of the service level, between 0 and 1; by default that of the statistic.
    public init(
        _ id: ID,
        _ operation: String,
        limit: Duration,
        statistic: BudgetStatistic? = nil,
        objective: Double? = nil
    ) {
        self.init(
            id,
            operation,
            .duration(limit),
            judged: statistic,
            objective: objective,
            .measured("PerformanceMonitor, under this label"),
            []
        )
    }

    init(
        _ id: ID,
        _ operation: String,
        _ limit: BudgetLimit,
        judged statistic: BudgetStatistic? = nil,
        objective: Double? = nil,
        _ place: Place,
        _ rows: [Row]
    ) {
        self.id = id
        self.operation = operation
        self.limit = limit
        self.statistic = statistic
        self.objective = objective ?? (statistic ?? .p99).objective
        self.place = place
        self.rows = rows
    }

    /// Whether an operation can be checked against it.
    var isMeasured: Bool {
        if case .measured = place { return true }
        return false
    }
}

/// The maximum cost of an operation. A cost equal to the limit is within it, like an observation on a histogram's
/// bound.
public struct BudgetLimit: Sendable, Hashable, CustomStringConvertible {
    package enum Unit: Sendable, Hashable {
        /// Nanoseconds.
        case time
        case bytes
        /// A count, for example of leaks.
        case count
        /// No unit: the specification requires a quality without a number.
        case none
    }

    package let unit: Unit
    /// The number of units.
    public let value: Int64

    /// A limit without a number.
    static let unstated = BudgetLimit(unit: .none, value: 0)

    package static func duration(_ duration: Duration) -> BudgetLimit {
        BudgetLimit(unit: .time, value: duration.clampedNanoseconds)
    }

    package static func bytes(_ bytes: Int) -> BudgetLimit {
        BudgetLimit(unit: .bytes, value: Int64(bytes))
    }

    static func count(_ count: Int) -> BudgetLimit {
        BudgetLimit(unit: .count, value: Int64(count))
    }

    /// The limit in the unit of metrics: seconds, bytes or a count.
    package var metricValue: Double { unit == .time ? Double(value) / 1e9 : Double(value) }

    /// The limit with a unit that suits its size, for example `8 ms` or `512 B`.
    public var description: String { unit == .none ? "no number" : unit.text(metricValue) }
}

extension BudgetLimit.Unit {
    /// `value`, in seconds, bytes or a count, with a unit that suits its size.
    package func text(_ value: Double) -> String {
        switch self {
        case .time: QuantityFormat.time(value)
        case .bytes: QuantityFormat.size(value)
        case .count, .none: QuantityFormat.number(value)
        }
    }
}

/// The statistic of many operations that must be within a limit.
public enum BudgetStatistic: Sendable, Hashable {
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
}
