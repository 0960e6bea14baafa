// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Formats numbers for people.
enum Format {
    /// A share with its sign, as `+2.1 %`.
    static func change(_ share: Double) -> String {
        String(format: "%+.2f %%", share * 100)
    }

    /// A share, as `2 %`.
    static func percent(_ share: Double) -> String {
        let text = String(format: "%.2f", share * 100)
        let short = text.contains(".") ? text.trimmingSuffix("0").trimmingSuffix(".") : text
        return "\(short) %"
    }

    /// The duration of a run.
    static func seconds(_ value: Double) -> String { String(format: "%.1f s", value) }

    /// A number with about four digits.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e9 { return String(format: "%.0f", value) }
        let isTiny = abs(value) < 0.01
        return String(format: isTiny ? "%.3g" : abs(value) < 100 ? "%.3f" : "%.1f", value)
    }

    /// The least and the largest of some numbers.
    static func range(_ values: [Double]) -> String {
        guard let least = values.min(), let most = values.max() else { return "none" }
        return least == most ? number(least) : "\(number(least))…\(number(most))"
    }

    /// A value in the metric's unit, times in a unit of fitting size.
    static func value(_ value: Double?, unit: String) -> String {
        guard let value else { return "-" }
        switch unit {
        case "ns/iter", "ns": return time(value)
        case "B", "B/iter", "bytes": return size(value)
        default: return number(value)
        }
    }

    /// Nanoseconds, or larger units.
    static func time(_ nanoseconds: Double) -> String {
        switch abs(nanoseconds) {
        case ..<10_000: String(format: "%.2f ns", nanoseconds)
        case ..<10_000_000: String(format: "%.2f µs", nanoseconds / 1e3)
        default: String(format: "%.2f ms", nanoseconds / 1e6)
        }
    }

    /// Bytes, or larger units.
    static func size(_ bytes: Double) -> String {
        switch abs(bytes) {
        case ..<10_240: "\(number(bytes)) B"
        case ..<10_485_760: String(format: "%.1f KiB", bytes / 1_024)
        default: String(format: "%.1f MiB", bytes / 1_048_576)
        }
    }

    static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}

extension String {
    /// The text without all repetitions of the suffix.
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        var text = self
        while text.hasSuffix(suffix), !suffix.isEmpty { text.removeLast(suffix.count) }
        return text
    }
}

enum Columns {
    /// Lines with columns as wide as their widest cell. Columns in `left` are aligned left, all others right.
    static func layout(_ rows: [[String]], left: Set<Int> = [0]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { Format.padded($1, widths[$0], right: !left.contains($0)) }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// The time of day, as in baseline files.
enum UTC {
    /// As `2026-01-31T12:00:00Z`.
    static var now: String { Date().formatted(.iso8601) }
}
