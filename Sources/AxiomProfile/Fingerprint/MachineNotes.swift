// SPDX-License-Identifier: Apache-2.0

/// What is noted about a machine and explains differences, and need not be the same. Nil where it could not be found
/// out.
public struct MachineNotes: Hashable, Sendable {
    /// A hash of the host's name: tells hosts apart and names none.
    public var hostHash: String?
    /// The release of the kernel.
    public var kernel: String?
    /// The version of the processor's microcode.
    public var microcode: String?
    /// The governor of the first processor's clock, as `performance`.
    public var governor: String?
    /// The clock rate of the first processor when asked, in MHz.
    public var megahertz: Double?
    /// Whether two threads share a core.
    public var hasSMT: Bool?
    /// The continuous integration that the process runs in, as `github:ubuntu24`.
    public var ci: String?
    /// The average load of the last minute.
    public var load1: Double?
    /// The share of time since the start that the hypervisor gave to others, in percent.
    public var stealPercent: Double?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension MachineNotes: Record {
    static let fields: [Field<Self>] = [
        Field("hostname_hash", \.hostHash),
        Field("kernel", \.kernel),
        Field("microcode", \.microcode),
        Field("governor", \.governor),
        Field("mhz", \.megahertz),
        Field("smt", \.hasSMT),
        Field("ci", \.ci),
        Field("load1", \.load1),
        Field("steal_pct", \.stealPercent),
    ]
}
