// SPDX-License-Identifier: Apache-2.0

/// The program that wrote a baseline.
public struct ToolIdentity: Hashable, Sendable {
    /// Its version.
    public var version = ""
    /// The revision that it was built from; empty when unknown.
    public var commit = ""
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension ToolIdentity: Record {
    static let fields: [Field<Self>] = [
        Field("version", \.version),
        Field("commit", \.commit),
    ]
}
