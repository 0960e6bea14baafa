// SPDX-License-Identifier: Apache-2.0

/// What else happened during a run: it explains, and is never judged.
public struct RunCovariates: Hashable, Sendable {
    /// Context switches that the process did not ask for.
    public var involuntarySwitches: UInt64?
    /// Page faults.
    public var faults: UInt64?
    /// Time that the hypervisor gave to others, in milliseconds.
    public var stealMilliseconds: Double?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension RunCovariates: Record {
    static let fields: [Field<Self>] = [
        Field("invol_ctx", \.involuntarySwitches),
        Field("faults", \.faults),
        Field("steal_ms", \.stealMilliseconds),
    ]
}
