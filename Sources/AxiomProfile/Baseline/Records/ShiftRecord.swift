// SPDX-License-Identifier: Apache-2.0

/// A shift with its interval, as logarithm of a ratio.
public struct ShiftRecord: Hashable, Sendable {
    /// The Hodges-Lehmann estimate.
    public var value = 0.0
    /// The lower end of its interval.
    public var lower = 0.0
    /// The upper end.
    public var upper = 0.0
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}
}

extension ShiftRecord: Record {
    static let fields: [Field<Self>] = [
        Field("hl", \.value),
        Field("lo", \.lower),
        Field("hi", \.upper),
    ]
}
