// SPDX-License-Identifier: Apache-2.0

/// All that was recorded about one benchmark.
public struct BenchmarkRecord: Hashable, Sendable {
    /// Its name with its parameters, as `Suite/name?n=1000`; unique in the file.
    public var id = ""
    /// A checksum of its body: a changed benchmark is not comparable, rather than slower.
    public var sourceHash = ""
    /// How often the body runs for one sample.
    public var innerIterations = 1
    /// Samples that were thrown away at the start of each process.
    public var warmup = 0
    /// Its tags.
    public var tags: [String] = []
    /// Its metrics, by name.
    public var metrics: [String: RecordedMetric] = [:]
    /// Its processes.
    public var runs: [ProcessRun] = []
    /// What they could show.
    public var floor: MeasuredFloor?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension BenchmarkRecord: Record {
    static let fields: [Field<Self>] = [
        Field("id", \.id),
        Field("source_hash", \.sourceHash),
        Field("inner_iterations", \.innerIterations),
        Field("warmup", \.warmup),
        Field("tags", \.tags),
        Field("metrics", \.metrics),
        Field("runs", \.runs),
        Field("floor", \.floor),
    ]
}
