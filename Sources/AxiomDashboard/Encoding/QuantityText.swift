// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Numbers and moments as a person reads them, and "n/a" for what is not known.
enum QuantityText {
    /// What stands for an unknown number.
    static let none = "n/a"

    /// A ratio of 0...1.
    static func percentage(_ ratio: Double?) -> String {
        ratio.flatMap(QuantityFormat.percentage) ?? none
    }

    /// A moment in UTC, for a title.
    static func moment(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded()).formatted(.iso8601)
    }

    /// Seconds, in the unit that suits them.
    static func seconds(_ value: Double?) -> String {
        value.flatMap(QuantityFormat.duration) ?? none
    }
}
