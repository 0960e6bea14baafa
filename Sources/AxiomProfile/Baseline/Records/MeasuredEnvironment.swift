// SPDX-License-Identifier: Apache-2.0

/// The environment of the measuring processes, whose size alone can move a result.
public struct MeasuredEnvironment: Hashable, Sendable {
    /// The variables that were set on purpose, such as `SWIFT_DETERMINISTIC_HASHING`.
    public var variables: [String: String] = [:]
    /// The length of the program's path, in bytes.
    public var programPathLength: Int?
    /// The size of the whole environment, in bytes.
    public var environmentSize: Int?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension MeasuredEnvironment: Record {
    static let fields: [Field<Self>] = [
        Field("variables", \.variables),
        Field("argv0_len", \.programPathLength),
        Field("env_bytes", \.environmentSize),
    ]
}
