// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How much an operation may cost. What costs exactly the limit is within it: that is what a histogram's bound means.
public struct BudgetLimit: Sendable, Hashable, CustomStringConvertible {
    /// What is counted.
    public enum Unit: Sendable, Hashable {
        /// Nanoseconds.
        case time
        /// Bytes.
        case bytes
        /// Things, such as leaks.
        case count
        /// Nothing: the specification asks for a quality and names no number.
        case none
    }

    /// What is counted.
    public let unit: Unit
    /// How many of the unit.
    public let value: Int64

    /// No limit that a number could hold.
    static let unstated = BudgetLimit(unit: .none, value: 0)

    /// So much time.
    public static func duration(_ duration: Duration) -> BudgetLimit {
        BudgetLimit(unit: .time, value: duration.clampedNanoseconds)
    }

    /// So many bytes.
    public static func bytes(_ bytes: Int) -> BudgetLimit {
        BudgetLimit(unit: .bytes, value: Int64(bytes))
    }

    /// So many things.
    static func count(_ count: Int) -> BudgetLimit {
        BudgetLimit(unit: .count, value: Int64(count))
    }

    /// In the unit that metrics have: seconds, or bytes.
    package var metricValue: Double {
        unit == .time ? Double(value) / 1e9 : Double(value)
    }

    /// With a unit that suits its size, as in `8 ms` or `512 B`.
    public var description: String {
        unit == .none ? "no number" : Quantity.text(metricValue, unit)
    }
}

/// Numbers with units, as people read them.
enum Quantity {
    /// `value` in seconds, bytes or things.
    static func text(_ value: Double, _ unit: BudgetLimit.Unit) -> String {
        switch unit {
        case .time: scaled(value, [("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)])
        case .bytes: scaled(value, [("MB", 1_048_576), ("kB", 1_024), ("B", 1)])
        case .count, .none: digits(value)
        }
    }

    private static func scaled(_ value: Double, _ units: [(name: String, size: Double)]) -> String {
        // A value just below a unit is shown in it where it would round up to 1.
        let unit = units.first { abs(value) >= $0.size * 0.9995 } ?? units.last
        guard let unit else { return digits(value) }
        return digits(value / unit.size) + " " + unit.name
    }

    /// Three significant digits.
    private static func digits(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let places = abs(value) >= 100 ? 1.0 : abs(value) >= 10 ? 10 : 100
        let rounded = (value * places).rounded() / places
        return rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)"
    }
}
