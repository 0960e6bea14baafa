// SPDX-License-Identifier: Apache-2.0

/// On which machine something was measured: what must be the same for times to be comparable, and what is only noted.
public struct Fingerprint: Hashable, Sendable {
    /// What must be the same.
    public var mustMatch = MachineClass()
    /// What is only noted.
    public var recordOnly = MachineNotes()
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in. For this machine's, see ``current()``.
    public init() {}

    /// Compares the machine of a baseline, which is this one, with another.
    public func match(_ other: Fingerprint) -> FingerprintMatch {
        FingerprintMatch(differences: mustMatch.differences(from: other.mustMatch))
    }
}

extension Fingerprint: Record {
    static let fields: [Field<Self>] = [
        Field("must_match", \.mustMatch),
        Field("record_only", \.recordOnly),
    ]
}
