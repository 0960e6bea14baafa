// SPDX-License-Identifier: Apache-2.0

/// A metric of a benchmark: its unit, its kind and what counts as a change.
public struct RecordedMetric: Hashable, Sendable {
    /// The unit of its samples, as `ns/iter`.
    public var unit = ""
    /// `lower` or `higher`.
    public var better = "lower"
    /// `exact`, `near_exact`, `noisy`, `sampled` or `info`: which comparison it gets.
    public var kind = "noisy"
    /// The least relative change that counts; 0.02 is 2 %.
    public var relativeFloor: Double?
    /// The least absolute change that counts, in the unit.
    public var absoluteFloor: Double?
    /// The percentiles that are reported, 0 to 100.
    public var percentiles: [Double]?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension RecordedMetric: Record {
    static let fields: [Field<Self>] = [
        Field("unit", \.unit),
        Field("better", \.better),
        Field("kind", \.kind),
        Field("rel", \.relativeFloor),
        Field("abs", \.absoluteFloor),
        Field("percentiles", \.percentiles),
    ]
}
