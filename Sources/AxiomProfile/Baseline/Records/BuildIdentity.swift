// SPDX-License-Identifier: Apache-2.0

/// How what was measured was built.
public struct BuildIdentity: Hashable, Sendable {
    /// The compiler's version, as `6.3.1`.
    public var swift = ""
    /// The target triple.
    public var target = ""
    /// `release` or `debug`.
    public var configuration = ""
    /// Compiler flags beyond the configuration's.
    public var flags: [String] = []
    /// The checksum of the binary.
    public var binarySHA256 = ""
    /// The size of its code, in bytes.
    public var textSize: UInt64?
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension BuildIdentity: Record {
    static let fields: [Field<Self>] = [
        Field("swift", \.swift),
        Field("target", \.target),
        Field("config", \.configuration),
        Field("flags", \.flags),
        Field("binary_sha256", \.binarySHA256),
        Field("text_size", \.textSize),
    ]
}
