// SPDX-License-Identifier: Apache-2.0

/// Everything that a baseline file has about one benchmark.
package struct BenchmarkRecord: Hashable, Sendable {
    /// The name with its parameters, as `Suite/name?n=1000`; unique in the file.
    package var id = ""
    /// A checksum of the body: numbers of a changed benchmark are not compared.
    package var sourceHash = ""
    /// How often the body runs for one sample.
    package var innerIterations = 1
    /// The number of samples that were discarded at the start of each process.
    package var warmup = 0
    package var tags: [String] = []
    /// The metrics, by name.
    package var metrics: [String: RecordedMetric] = [:]
    package var runs: [ProcessRun] = []
    /// The smallest effect that the runs could show.
    package var floor: MeasuredFloor?
    var unknown = UnknownMembers()

    package init() {}
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

/// A metric of a benchmark: its unit, its kind, and what counts as a change.
package struct RecordedMetric: Hashable, Sendable {
    /// The unit of its samples, as `ns/iter`.
    package var unit = ""
    /// `lower` or `higher`.
    package var better = "lower"
    /// `exact`, `near_exact`, `noisy`, `sampled` or `info`: how it is compared.
    package var kind = "noisy"
    /// The least relative change that counts; 0.02 is 2 %.
    package var relativeFloor: Double?
    /// The least absolute change that counts, in the unit.
    package var absoluteFloor: Double?
    /// The percentiles that are reported, 0 to 100.
    package var percentiles: [Double]?
    var unknown = UnknownMembers()

    package init() {}
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

/// The samples of one process, in the order in which they were taken. In the file it is one line.
package struct ProcessRun: Hashable, Sendable {
    /// The index of the process among those of its benchmark.
    package var process = 0
    /// The start in UTC, as `2026-01-31T12:00:00Z`.
    package var start = ""
    /// The processor to which it was pinned.
    package var cpu: Int?
    /// How it ended: `ok`, `crashed`, `timeout` and so on.
    package var exit = "ok"
    /// The raw samples in order, by metric.
    package var samples: [String: [Double]] = [:]
    var unknown = UnknownMembers()

    package init() {}

    /// Creates a run that ended with success.
    package init(process: Int, start: String, samples: [String: [Double]]) {
        self.process = process
        self.start = start
        self.samples = samples
    }
}

extension ProcessRun: Record {
    static let fields: [Field<Self>] = [
        Field("process", \.process),
        Field("start", \.start),
        Field("cpu", \.cpu),
        Field("exit", \.exit),
        Field("samples", \.samples),
    ]
}

/// The smallest effect that the recorded runs of a benchmark could show.
package struct MeasuredFloor: Hashable, Sendable {
    /// The standard deviation between processes, of the logarithm.
    package var deviation = 0.0
    /// The relative effect that is found with a probability of 80 %.
    package var detectableEffect = 0.0
    var unknown = UnknownMembers()

    package init() {}
}

extension MeasuredFloor: Record {
    static let fields: [Field<Self>] = [
        Field("aa_sd", \.deviation),
        Field("mde80", \.detectableEffect),
    ]
}
