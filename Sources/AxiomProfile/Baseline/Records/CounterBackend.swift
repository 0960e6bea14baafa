// SPDX-License-Identifier: Apache-2.0

/// What counted instructions, allocations and so on: numbers of different backends, or of different versions of
/// one, are not comparable.
public struct CounterBackend: Hashable, Sendable {
    /// Its name, as `perf`, `cachegrind` or `unavailable`.
    public var backend = ""
    /// The version of what it counts; nil when there is only one.
    public var version: Int?
    /// Why nothing better was used, as `perf_event_open: ENOENT`.
    public var why: String?
    /// Whether the kernel's share is left out.
    public var userOnly: Bool?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension CounterBackend: Record {
    static let fields: [Field<Self>] = [
        Field("backend", \.backend),
        Field("version", \.version),
        Field("why", \.why),
        Field("user_only", \.userOnly),
    ]
}
