// SPDX-License-Identifier: Apache-2.0

/// How small an effect the recorded runs of a benchmark could show.
public struct MeasuredFloor: Hashable, Sendable {
    /// The standard deviation between processes, of the logarithm.
    public var deviation = 0.0
    /// The relative effect that is found with a probability of 80 %.
    public var detectableEffect = 0.0
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension MeasuredFloor: Record {
    static let fields: [Field<Self>] = [
        Field("aa_sd", \.deviation),
        Field("mde80", \.detectableEffect),
    ]
}
