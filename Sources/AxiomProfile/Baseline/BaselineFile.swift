// SPDX-License-Identifier: Apache-2.0

/// Recorded performance to compare with: raw samples of benchmarks, profiles of a running application, and what one
/// must know to tell whether a comparison is fair.
///
/// The file is JSON by the schema `Documentation/schemas/axiom-bench-baseline-1.schema.json`. Summaries are not in it,
/// because they can be made of samples and samples not of them.
public struct BaselineFile: Hashable, Sendable {
    /// The program that wrote it.
    public var tool = ToolIdentity()
    /// When it was first recorded, in UTC, as `2026-01-31T12:00:00Z`.
    public var createdAt = ""
    /// Its name, as `main`.
    public var name = ""
    /// Why the present numbers are the accepted ones.
    public var reason = ""
    /// All acceptances, the latest last.
    public var history: [AcceptedChange] = []
    /// The source that was measured.
    public var source = SourceIdentity()
    /// How it was built.
    public var build = BuildIdentity()
    /// The machine.
    public var fingerprint = Fingerprint()
    /// The environment of the processes.
    public var environment = MeasuredEnvironment()
    /// What counted, by kind of count, as `instructions` or `malloc`.
    public var counters: [String: CounterBackend] = [:]
    /// How runs were arranged.
    public var design = MeasurementDesign()
    /// What comparing a program with itself gave.
    public var noise = MeasuredNoise()
    /// The benchmarks.
    public var benchmarks: [BenchmarkRecord] = []
    /// The profiles of operations of a running application.
    public var liveProfiles: [LiveProfile] = []
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}

    /// Notes that the present numbers are accepted.
    ///
    /// - Throws: ``ProfileError`` when the reason is empty: a history without reasons helps nobody.
    public mutating func accept(at time: String, by author: String, reason: String) throws(ProfileError) {
        guard reason.contains(where: { !$0.isWhitespace }) else {
            throw ProfileError(.invalidParameter, "the reason is empty: say why these numbers are the accepted ones")
        }
        self.reason = reason
        history.append(AcceptedChange(at: time, by: author, sha: source.sha, reason: reason))
    }

    /// Checks what the types cannot: names that must be unique, samples of metrics that must be declared, windows in
    /// order.
    ///
    /// - Throws: ``ProfileError`` that names the place.
    func validate(_ code: ProfileError.Code) throws(ProfileError) {
        if let id = Self.firstRepeated(benchmarks.map(\.id)) {
            throw ProfileError(code, "the benchmark \"\(id)\" occurs twice")
        }
        if let operation = Self.firstRepeated(liveProfiles.map { "\($0.operation)\" of \"\($0.instance)" }) {
            throw ProfileError(code, "the live profile \"\(operation)\" occurs twice")
        }
        for benchmark in benchmarks {
            for run in benchmark.runs {
                guard let name = run.samples.keys.sorted().first(where: { benchmark.metrics[$0] == nil }) else {
                    continue
                }
                throw ProfileError(
                    code,
                    "the benchmark \"\(benchmark.id)\" has samples of \"\(name)\", which is none of its metrics"
                )
            }
        }
        for profile in liveProfiles { try profile.validate(code) }
    }

    private static func firstRepeated(_ names: [String]) -> String? {
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }
}

extension BaselineFile: Record {
    static let fields: [Field<Self>] = [
        Field("tool", \.tool),
        Field("created_at", \.createdAt),
        Field("name", \.name),
        Field("reason", \.reason),
        Field("history", \.history),
        Field("source", \.source),
        Field("build", \.build),
        Field("fingerprint", \.fingerprint),
        Field("env", \.environment),
        Field("counters", \.counters),
        Field("design", \.design),
        Field("noise", \.noise),
        Field("benchmarks", \.benchmarks),
        Field("live_profiles", \.liveProfiles),
    ]
}
