// SPDX-License-Identifier: Apache-2.0

/// How the runs were arranged and are to be judged. All of it is needed to repeat them.
public struct MeasurementDesign: Hashable, Sendable {
    /// `solo`, or `duet` for two binaries in turns.
    public var mode = "solo"
    /// The seed of the order of runs.
    public var seed: UInt64 = 0
    /// Pairs of processes, in a duet.
    public var pairs: Int?
    /// Groups of four turns in each pair, in a duet.
    public var quads: Int?
    /// What processes were pinned to, as `same-cpu`.
    public var pin = ""
    /// How turns were ordered, as `random-balanced`.
    public var order = ""
    /// The probability of even one false alarm in a whole run.
    public var familyAlpha = 0.01
    /// How p-values were adjusted.
    public var correction = "holm"
    /// The relative effect below which a metric is not judged worse, by metric; 0.02 is 2 %.
    public var minimumEffect: [String: Double] = [:]
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension MeasurementDesign: Record {
    static let fields: [Field<Self>] = [
        Field("mode", \.mode),
        Field("seed", \.seed),
        Field("pairs", \.pairs),
        Field("quads", \.quads),
        Field("pin", \.pin),
        Field("order", \.order),
        Field("alpha_family", \.familyAlpha),
        Field("correction", \.correction),
        Field("min_effect", \.minimumEffect),
    ]
}
