// SPDX-License-Identifier: Apache-2.0

/// Recorded performance to compare with: raw samples of benchmarks, profiles of a running application, and the facts
/// that decide whether a comparison is fair.
///
/// ```swift
/// try telemetry.recordProfile().save(to: "profile.json")
/// let baseline = try BaselineFile.load(from: "profile.json")
/// ```
/// The file is JSON according to the schema `Documentation/schemas/axiom-bench-baseline-1.schema.json`. It has no summaries: they
/// can be computed from samples, and samples cannot be recovered from them.
public struct BaselineFile: Hashable, Sendable {
    /// When it was first recorded, in UTC, as `2026-01-31T12:00:00Z`.
    package var createdAt = ""
    /// Its name, as `main`.
    package var name = ""
    /// Why these numbers are the accepted ones.
    package var reason = ""
    /// The program that wrote it.
    package var tool = ToolIdentity()
    /// All acceptances, the latest last.
    package var history: [AcceptedChange] = []
    package var source = SourceIdentity()
    package var build = BuildIdentity()
    package var fingerprint = Fingerprint()
    package var environment = MeasuredEnvironment()
    /// What counted, by kind of count, as `instructions` or `malloc`.
    package var counters: [String: CounterBackend] = [:]
    package var design = MeasurementDesign()
    package var noise = MeasuredNoise()
    package var benchmarks: [BenchmarkRecord] = []
    /// The profiles of operations of a running application.
    package var liveProfiles: [LiveProfile] = []
    var unknown = UnknownMembers()

    package init() {}

    /// Records that the present numbers are accepted.
    ///
    /// - Throws: ``ProfileError`` if the reason is empty.
    package mutating func accept(at time: String, by author: String, reason: String) throws(ProfileError) {
        guard reason.contains(where: { !$0.isWhitespace }) else {
            throw ProfileError(.invalidParameter, "the reason is empty: say why these numbers are the accepted ones")
        }
        self.reason = reason
        history.append(AcceptedChange(at: time, by: author, sha: source.sha, reason: reason))
    }

    /// Checks what the types cannot: unique names, declared metrics, windows in order.
    ///
    /// - Throws: ``ProfileError`` that names the benchmark or the operation.
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
