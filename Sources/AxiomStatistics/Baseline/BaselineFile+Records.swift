// SPDX-License-Identifier: Apache-2.0

// The records of a baseline file about a whole recording: what was measured, where, and how. The schema in
// Documentation/schemas/axiom-bench-baseline-1.schema.json describes the same members.

/// The program that wrote a baseline.
package struct ToolIdentity: Hashable, Sendable {
    /// Its version.
    package var version = ""
    /// The revision from which it was built; empty if unknown.
    package var commit = ""
    var unknown = UnknownMembers()
}

extension ToolIdentity: Record {
    static let fields: [Field<Self>] = [
        Field("version", \.version),
        Field("commit", \.commit),
    ]
}

/// One entry of a baseline's history: who accepted its numbers, when and why.
package struct AcceptedChange: Hashable, Sendable {
    /// The time in UTC, as `2026-01-31T12:00:00Z`.
    package var at = ""
    /// The author.
    package var by = ""
    /// The revision of the measured source; empty if unknown.
    package var sha = ""
    /// The reason; never empty.
    package var reason = ""
    var unknown = UnknownMembers()
}

extension AcceptedChange: Record {
    static let fields: [Field<Self>] = [
        Field("at", \.at),
        Field("by", \.by),
        Field("sha", \.sha),
        Field("reason", \.reason),
    ]
}

/// The source that was measured.
package struct SourceIdentity: Hashable, Sendable {
    /// The revision; empty outside of version control.
    package var sha = ""
    /// The branch that was checked out.
    package var branch = ""
    /// The hash of the tree: equal contents have the same hash under any revision.
    package var tree = ""
    /// Whether files differed from the revision.
    package var isDirty = false
    /// The SHA-256 of `Package.resolved`, that is, of the versions of all dependencies.
    package var packageResolvedSHA256 = ""
    var unknown = UnknownMembers()

    package init() {}
}

extension SourceIdentity: Record {
    static let fields: [Field<Self>] = [
        Field("sha", \.sha),
        Field("branch", \.branch),
        Field("tree", \.tree),
        Field("dirty", \.isDirty),
        Field("package_resolved_sha256", \.packageResolvedSHA256),
    ]
}

/// How the measured program was built.
package struct BuildIdentity: Hashable, Sendable {
    /// The compiler's version, as `6.3.1`.
    package var swift = ""
    /// The target triple.
    package var target = ""
    /// `release` or `debug`.
    package var configuration = ""
    /// Compiler flags beyond those of the configuration.
    package var flags: [String] = []
    package var binarySHA256 = ""
    var unknown = UnknownMembers()
}

extension BuildIdentity: Record {
    static let fields: [Field<Self>] = [
        Field("swift", \.swift),
        Field("target", \.target),
        Field("config", \.configuration),
        Field("flags", \.flags),
        Field("binary_sha256", \.binarySHA256),
    ]
}

/// The environment of the measured processes.
package struct MeasuredEnvironment: Hashable, Sendable {
    /// The variables that the tool set, such as `SWIFT_DETERMINISTIC_HASHING`.
    package var variables: [String: String] = [:]
    var unknown = UnknownMembers()
}

extension MeasuredEnvironment: Record {
    static let fields: [Field<Self>] = [Field("variables", \.variables)]
}

/// What counted instructions, allocations and so on. Numbers of different backends, or of different versions of one, are
/// not comparable.
package struct CounterBackend: Hashable, Sendable {
    /// The name, as `perf`, `callgrind` or `unavailable`.
    package var backend = ""
    /// The version of what is counted; nil if there is only one.
    package var version: Int?
    /// Why nothing better was used, as `perf_event_open: ENOENT`.
    package var why: String?
    /// Whether the kernel's share is excluded.
    package var userOnly: Bool?
    var unknown = UnknownMembers()

    package init() {}
}

extension CounterBackend: Record {
    static let fields: [Field<Self>] = [
        Field("backend", \.backend),
        Field("version", \.version),
        Field("why", \.why),
        Field("user_only", \.userOnly),
    ]
}

/// How the runs were arranged and are judged: all that is needed to repeat them.
package struct MeasurementDesign: Hashable, Sendable {
    /// `solo`, or `duet` for two binaries in turns.
    package var mode = "solo"
    /// The seed of the order of runs.
    package var seed: UInt64 = 0
    /// Pairs of processes, in a duet.
    package var pairs: Int?
    /// Groups of four turns in each pair, in a duet.
    package var quads: Int?
    /// Where processes were pinned, as `same-cpu`.
    package var pin = ""
    /// How turns were ordered, as `random-balanced`.
    package var order = ""
    /// The probability of even one false alarm in a whole run.
    package var familyAlpha = 0.01
    /// How p-values were adjusted.
    package var correction = "holm"
    /// The least relative effect that counts, by metric; 0.02 is 2 %.
    package var minimumEffect: [String: Double] = [:]
    var unknown = UnknownMembers()
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

/// The result of comparing a program with itself on this machine.
package struct MeasuredNoise: Hashable, Sendable {
    /// How often a program was compared with itself.
    package var selfRuns = 0
    /// How often that was judged a regression.
    package var selfFailures = 0
    var unknown = UnknownMembers()
}

extension MeasuredNoise: Record {
    static let fields: [Field<Self>] = [
        Field("aa_runs", \.selfRuns),
        Field("aa_failures", \.selfFailures),
    ]
}
