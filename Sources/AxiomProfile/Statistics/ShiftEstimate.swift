// SPDX-License-Identifier: Apache-2.0

/// By how much something is shifted, with an interval, in the unit of the sample.
public struct ShiftEstimate: Hashable, Sendable {
    /// The estimate.
    public let value: Double
    /// The lower end of the interval.
    public let lower: Double
    /// The upper end of the interval.
    public let upper: Double
    /// The confidence that the interval really has, at least the one asked for: exact intervals come in steps.
    public let confidence: Double

    /// Whether the interval has `shift` inside or at an end.
    public func contains(_ shift: Double) -> Bool {
        lower <= shift && shift <= upper
    }
}
