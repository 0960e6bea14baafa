// SPDX-License-Identifier: Apache-2.0

/// The source that was measured.
public struct SourceIdentity: Hashable, Sendable {
    /// Its revision; empty outside of version control.
    public var sha = ""
    /// The branch that was checked out.
    public var branch = ""
    /// The hash of the tree, which is the same for the same contents under any revision.
    public var tree = ""
    /// Whether files differed from the revision.
    public var isDirty = false
    /// The checksum of `Package.resolved`: the versions of all dependencies.
    public var packageResolvedSHA256 = ""
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
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
