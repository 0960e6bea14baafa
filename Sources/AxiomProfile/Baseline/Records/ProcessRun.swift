// SPDX-License-Identifier: Apache-2.0

/// The samples of one process, in the order in which they were taken. In the file it is one line.
public struct ProcessRun: Hashable, Sendable {
    /// The number of the process among those of its benchmark.
    public var process = 0
    /// When it started, in UTC, as `2026-01-31T12:00:00Z`.
    public var start = ""
    /// The processor to which it was pinned.
    public var cpu: Int?
    /// How it ended: `ok`, `crashed`, `timeout` and so on.
    public var exit = "ok"
    /// The samples, raw and ordered, by metric.
    public var samples: [String: [Double]] = [:]
    /// What else happened.
    public var covariates: RunCovariates?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}

    /// Makes a run that ended well.
    public init(process: Int, start: String, samples: [String: [Double]]) {
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
        Field("cov", \.covariates),
    ]
}
