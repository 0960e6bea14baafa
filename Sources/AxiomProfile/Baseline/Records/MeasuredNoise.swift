// SPDX-License-Identifier: Apache-2.0

/// What comparing a program with itself gave on this machine.
public struct MeasuredNoise: Hashable, Sendable {
    /// How often a program was compared with itself.
    public var selfRuns = 0
    /// How often that was judged a regression.
    public var selfFailures = 0
    /// The shift between two copies of one binary in the recorded run.
    public var nullControl: ShiftRecord?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension MeasuredNoise: Record {
    static let fields: [Field<Self>] = [
        Field("aa_runs", \.selfRuns),
        Field("aa_failures", \.selfFailures),
        Field("null_control", \.nullControl),
    ]
}
