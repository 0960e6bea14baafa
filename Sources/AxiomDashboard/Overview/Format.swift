// SPDX-License-Identifier: Apache-2.0

/// Numbers as a person reads them: three significant digits at most, and a unit.
enum Format {
    /// What stands for a number that there is not.
    static let none = "n/a"

    /// A whole number in full.
    static func count(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// A ratio of 0...1. One that is not 0 is never shown as 0.
    static func percentage(_ ratio: Double?) -> String {
        guard let ratio, ratio.isFinite else { return none }
        if ratio > 0, ratio < 1e-5 { return "< 0.001 %" }
        return decimal(rounded(ratio * 100)) + " %"
    }

    static func estimate(_ estimate: LatencySummary.Estimate?) -> String {
        switch estimate {
        case .value(let value): seconds(value)
        case .above(let bound): "> " + seconds(bound)
        case nil: none
        }
    }

    /// Seconds, in the first unit that holds them after rounding.
    static func seconds(_ value: Double?) -> String {
        guard let value, value.isFinite else { return none }
        guard value != 0 else { return "0 s" }
        var least = 0.0
        for (name, size, limit) in units {
            let scaled = max(rounded(abs(value) / size), least)
            if scaled < limit { return (value < 0 ? "-" : "") + decimal(scaled) + " " + name }
            // What the unit below rounded up to this one is not less than 1 of it.
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
