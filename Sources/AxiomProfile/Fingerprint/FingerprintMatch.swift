// SPDX-License-Identifier: Apache-2.0

/// What differs between two machines, in the fields that must be the same.
public struct FingerprintMatch: Hashable, Sendable, CustomStringConvertible {
    /// A field that differs.
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The name of the field, as in the file.
        public let field: String
        /// Its value on the machine of the baseline.
        public let baseline: String
        /// Its value on the other machine.
        public let current: String

        /// The field and both values.
        public var description: String { "\(field) was \(baseline) and is \(current)" }
    }

    /// The fields that differ, in the order of the file; empty when times are comparable.
    public let differences: [Difference]

    /// Whether times are comparable.
    public var isMatch: Bool { differences.isEmpty }

    /// What differs, in words.
    public var description: String {
        isMatch ? "the same kind of machine" : differences.map(\.description).joined(separator: "; ")
    }
}
