// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Numbers and moments as a person reads them: numbers with three significant digits at most, and a unit.
enum QuantityText {
    /// What stands for an unknown number.
    static let none = "n/a"

    /// A ratio of 0...1. One that is not 0 is never shown as 0.
    static func percentage(_ ratio: Double?) -> String {
        guard let ratio, ratio.isFinite else { return none }
        if ratio > 0, ratio < 1e-5 { return "< 0.001 %" }
        return decimal(rounded(ratio * 100)) + " %"
    }

    /// A moment in UTC, for a title.
    static func moment(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded()).formatted(.iso8601)
    }

    /// Seconds, in the first unit that holds them after rounding.
    static func seconds(_ value: Double?) -> String {
        guard let value, value.isFinite else { return none }
        guard value != 0 else { return "0 s" }
        var least = 0.0
        for (name, size, limit) in units {
            let scaled = max(rounded(abs(value) / size), least)
            if scaled < limit { return (value < 0 ? "-" : "") + decimal(scaled) + " " + name }
            // A value that the unit below rounds up to this unit is at least 1 of it.
            least = 1
        }
        return none
    }

    /// Names, sizes in seconds, and how many of each make one of the next.
    private static let units: [(String, Double, Double)] = [
        ("ns", 1e-9, 1_000), ("µs", 1e-6, 1_000), ("ms", 1e-3, 1_000), ("s", 1, 60), ("min", 60, 60),
        ("h", 3_600, 24), ("d", 86_400, .infinity),
    ]

    /// The value with three significant digits, or to the unit where that is more.
    private static func rounded(_ value: Double) -> Double {
        var scale = 1.0
        while abs(value) * scale < 100, scale < 1e9 { scale *= 10 }
        return (value * scale).rounded() / scale
    }

    /// The digits without a trailing `.0`.
    private static func decimal(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
