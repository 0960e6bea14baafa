// SPDX-License-Identifier: Apache-2.0

/// What one operation may cost: a row of the specification's tables, or one that an application adds.
public struct PerformanceBudget: Sendable, Hashable {
    /// The name of a budget, in snake case, as it labels metrics.
    public struct ID: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// Makes a name. It is checked when a telemetry is made.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a name from a literal.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// The name.
        public var description: String { rawValue }
    }

    /// Where the specification asks for it.
    public struct Row: Sendable, Hashable {
        /// The document and its section.
        public let document: String
        /// The row's own words for the operation.
        public let operation: String
        /// The row's own words for the target.
        public let target: String
    }

    /// Whether and where the operation is measured.
    public enum Place: Sendable, Hashable {
        /// It is measured, at the place that the text names.
        case measured(String)
        /// The framework cannot do this yet.
        case notBuilt
        /// It cannot be measured, for the reason that the text names.
        case notAvailable(String)
    }

    /// The name.
    public let id: ID
    /// What is done, in words.
    public let operation: String
    /// The rows of the specification that it stands for; none for an application's own.
    public let rows: [Row]
    /// How much it may cost. Of two rows about one operation the stricter counts.
    public internal(set) var limit: BudgetLimit
    /// What has to be within the limit; nil where nobody says, and then the 99th percentile is judged.
    public let statistic: BudgetStatistic?
    /// The share of operations that the service level asks to be within the limit, between 0 and 1.
    public let objective: Double
    /// Where it is measured, or why it is not.
    public let place: Place

    /// A budget of an application's own, for what it measures with a ``PerformanceMonitor`` under the label `id`.
    ///
    /// - Parameters:
    ///   - id: Lower-case letters, digits and underscores; no other budget's name.
    ///   - operation: What is done, in words.
    ///   - limit: More than 0.
    ///   - statistic: What has to be within the limit; the 99th percentile unless told.
    ///   - objective: The share of the service level, between 0 and 1; that of the statistic unless told.
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
