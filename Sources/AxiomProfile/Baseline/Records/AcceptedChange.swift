// SPDX-License-Identifier: Apache-2.0

/// One entry of a baseline's history: who accepted its numbers, when and why.
public struct AcceptedChange: Hashable, Sendable {
    /// When, in UTC, as `2026-01-31T12:00:00Z`.
    public var at = ""
    /// Who.
    public var by = ""
    /// The revision of the measured source; empty when unknown.
    public var sha = ""
    /// Why; never empty.
    public var reason = ""
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}

    /// Makes an entry.
    public init(at: String, by: String, sha: String, reason: String) {
        self.at = at
        self.by = by
        self.sha = sha
        self.reason = reason
    }
}

extension AcceptedChange: Record {
    static let fields: [Field<Self>] = [
        Field("at", \.at),
        Field("by", \.by),
        Field("sha", \.sha),
        Field("reason", \.reason),
    ]
}
