// SPDX-License-Identifier: Apache-2.0

/// Formats numbers for people: three significant digits, in a unit that suits the size.
package enum QuantityFormat {
    private struct Unit {
        let name: String
        /// In the base unit.
        let size: Double
        /// How many of this unit make one of the next; infinite for the last unit.
        let limit: Double
    }

    private static let seconds = [
        Unit(name: "ns", size: 1e-9, limit: 1_000), Unit(name: "µs", size: 1e-6, limit: 1_000),
        Unit(name: "ms", size: 1e-3, limit: 1_000), Unit(name: "s", size: 1, limit: .infinity),
    ]

    private static let durations =
        Array(seconds.dropLast()) + [
            Unit(name: "s", size: 1, limit: 60), Unit(name: "min", size: 60, limit: 60),
            Unit(name: "h", size: 3_600, limit: 24), Unit(name: "d", size: 86_400, limit: .infinity),
        ]

    private static let bytes = [
        Unit(name: "B", size: 1, limit: 1_024), Unit(name: "kB", size: 1_024, limit: 1_024),
        Unit(name: "MB", size: 1_048_576, limit: .infinity),
    ]

    /// A time in nanoseconds to seconds, as in `8 ms` or `90 s`.
    package static func time(_ seconds: Double) -> String {
        scaled(seconds, Self.seconds) ?? "\(seconds)"
    }

    /// A time in nanoseconds to days, as in `8 ms` or `1.5 min`; nil if it is not finite.
    package static func duration(_ seconds: Double) -> String? {
        seconds == 0 ? "0 s" : scaled(seconds, durations)
    }

    /// A size in bytes, kB (1,024) or MB, as in `512 B`.
    package static func size(_ bytes: Double) -> String { scaled(bytes, Self.bytes) ?? "\(bytes)" }

    /// A ratio as a percentage, as in `12.5 %`; nil if it is not finite. A ratio above 0 is never shown as 0.
    package static func percentage(_ ratio: Double) -> String? {
        guard ratio.isFinite else { return nil }
        return ratio > 0 && ratio < 1e-5 ? "< 0.001 %" : number(ratio * 100) + " %"
    }

    /// A number with three significant digits, or without a fraction if it has more digits than three before the point.
    package static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        return decimal(rounded(value))
    }

    /// The value in the first unit that holds it after rounding: 999.6 µs is 1 ms.
    private static func scaled(_ value: Double, _ units: [Unit]) -> String? {
        guard value.isFinite else { return nil }
        var least = 0.0
        for unit in units {
            let size = max(rounded(abs(value) / unit.size), least)
            if size < unit.limit { return (value < 0 ? "-" : "") + decimal(size) + " " + unit.name }
            // The value was rounded up to one of this unit.
            least = 1
        }
        return nil
    }

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
