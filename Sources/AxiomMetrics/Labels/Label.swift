// SPDX-License-Identifier: Apache-2.0

/// The name of a label together with the type of its values, which the compiler checks wherever the family is used.
///
/// ```swift
/// Label<String>("client"), Label<Outcome>("outcome")
/// ```
public struct Label<Value: LabelValue>: Hashable, Sendable {
    /// The name: a letter or underscore, then letters, digits and underscores. Checked when the family is registered.
    public let name: String

    /// Names a label whose values are of the type `Value`.
    public init(_ name: String) {
        self.name = name
    }
}
