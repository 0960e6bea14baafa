// SPDX-License-Identifier: Apache-2.0

/// What can be the value of a label: text, integers, truth values, and enums whose raw values are text.
///
/// ```swift
/// enum Outcome: String, LabelValue { case success, failure }
/// ```
///
/// Keep the number of distinct values small: each combination of values is one series that lives until it is removed.
public protocol LabelValue: Sendable {
    /// The value as the label shows it. Any text is allowed: encoders escape it.
    ///
    /// The empty text means that the label is absent, as it does to Prometheus: `x{a=""}` is the series `x`.
    var labelValue: String { get }
}

extension String: LabelValue {
    /// The text itself.
    public var labelValue: String { self }
}

extension Int: LabelValue {
    /// The integer in decimal.
    public var labelValue: String { description }
}

extension Bool: LabelValue {
    /// `true` or `false`.
    public var labelValue: String { self ? "true" : "false" }
}

extension LabelValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var labelValue: String { rawValue }
}
